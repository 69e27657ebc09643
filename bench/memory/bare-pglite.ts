/** The minimum cost of an embedded store: plain Node and PGlite, one table, one HTTP response. */
import { createServer } from "node:http";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";

const store = await PGlite.create(join(process.env.CAPSTAN_DATA_DIR ?? "", "db"));
await store.exec("create table if not exists answers (id int primary key)");
createServer(async (_request, response) => {
  await store.query("select count(*) from answers");
  response.end("ok");
}).listen(Number(process.env.PORT), "127.0.0.1");
process.on("SIGTERM", async () => {
  await store.close();
  process.exit(0);
});
