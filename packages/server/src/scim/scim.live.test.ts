/**
 * A directory pushes users and groups, in the order and the shapes that Microsoft Entra and Okta document. Answers are read
 * with another implementation's schemas (scimmy). What it means for people's rights: `people/left.live.test.ts`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import SCIMMY from "scimmy";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  browse,
  CookieJar,
  comeBack,
  type TestProvider,
  testProvider,
} from "../../../../tools/openid-provider.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

type Headers = Record<string, string>;
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const USER = "urn:ietf:params:scim:schemas:core:2.0:User";

describe.each(STORES)("a directory on $name", ({ fresh }) => {
  let op: TestProvider;
  let server: TestServer;
  let owner: Headers;
  let acme: Headers;
  let entra: Headers;
  let okta: Headers;
  let ofAcme: Headers;

  beforeAll(async () => {
    op = await testProvider([]);
    const store = await fresh();
    server = await testServer(store, {
      CAPSTAN_OIDC_ISSUER: op.issuer,
      CAPSTAN_OIDC_CLIENT_ID: op.clientId,
      CAPSTAN_OIDC_CLIENT_SECRET: op.clientSecret,
    });
    await op.allow(server.url);
    owner = { authorization: `Bearer ${readFileSync(join(store.dataDir, "owner-token"), "utf8").trim()}` };
    const made = await server.call("POST", "/v1/organisations", { id: "acme", name: "Acme" }, owner);
    acme = { authorization: `Bearer ${made.body.key}` };
    entra = await token("entra", owner);
    okta = await token("okta", owner);
    ofAcme = await token("acme's", acme);
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    await op?.close();
  });

  async function token(name: string, by: Headers): Promise<Headers> {
    const made = await server.call("POST", "/v1/scim-tokens", { name }, by);
    return { authorization: `Bearer ${made.body.token}`, "content-type": "application/scim+json" };
  }
  const scim = (method: string, path: string, body: unknown, as: Headers) =>
    server.call(method, `/scim/v2${path}`, body, as);
  const byName = (name: string, as = entra) =>
    scim("GET", `/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}`, undefined, as);
  const patch = (path: string, Operations: object[], as: Headers) =>
    scim("PATCH", path, { schemas: [PATCH], Operations }, as);
  const roles = (value: string, role: string, by = owner) =>
    server.call("POST", "/v1/roles", { claim: "groups", value, role }, by);

  /** Throws where the answer is not what RFC 7643 says. */
  const asUser = (body: object) => new SCIMMY.Schemas.User(body as never, "out") as unknown as { id: string };

  async function signIn(name: string, more: object = {}) {
    op.people.set(name, { sub: name, email: `${name}@example.com`, email_verified: true, ...more });
    const jar = new CookieJar();
    await browse(jar, await comeBack(jar, new URL("/login", server.url), name));
    const login = jar.of(server.url).get("capstan-login");
    return (organisation = "default"): Headers => ({
      cookie: `capstan-login=${login}; capstan-organisation=${organisation}`,
      origin: server.url,
    });
  }
  const rightsOf = async (headers: Headers) =>
    (await server.call("GET", "/v1/me", undefined, headers)).body.rights;
  const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 1500 });

  test("Entra's cycle: look for, create, change, groups, deactivate, delete", async () => {
    expect((await byName("eva@example.com")).body).toMatchObject({ totalResults: 0, Resources: [] });
    const made = await scim(
      "POST",
      "/Users",
      {
        schemas: [USER, "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
        externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
        userName: "eva@example.com",
        active: true,
        emails: [{ primary: true, type: "work", value: "eva@example.com" }],
        meta: { resourceType: "User" },
        name: { formatted: "Eva Lee", familyName: "Lee", givenName: "Eva" },
        roles: [],
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Sales" },
      },
      entra,
    );
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(made.headers.get("content-type")).toContain("application/scim+json");
    expect(made.headers.get("location")).toBe(made.body.meta.location);
    const { id } = asUser(made.body);
    expect((await byName("EVA@EXAMPLE.COM")).body).toMatchObject({ totalResults: 1, Resources: [{ id }] });
    expect((await scim("POST", "/Users", { userName: "Eva@example.com" }, entra)).body).toMatchObject({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: "409",
      scimType: "uniqueness",
    });
    const changes = [
      { op: "Replace", path: 'emails[type eq "work"].value', value: "eva.lee@example.com" },
      { op: "Replace", path: "name.familyName", value: "Kim" },
      { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+49 1" },
    ];
    const changed = await patch(`/Users/${id}`, changes, entra);
    expect(changed).toMatchObject({ status: 200, body: { name: { familyName: "Kim" } } });
    asUser(changed.body);

    const group = await scim(
      "POST",
      "/Groups",
      {
        schemas: [
          "urn:ietf:params:scim:schemas:core:2.0:Group",
          "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group",
        ],
        externalId: "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
        displayName: "entra staff",
        meta: { resourceType: "Group" },
      },
      entra,
    );
    expect(group.status, JSON.stringify(group.body)).toBe(201);
    const at = `/Groups/${group.body.id}`;
    const seen = await scim("GET", `${at}?excludedAttributes=members`, undefined, entra);
    expect(seen.body).not.toHaveProperty("members");
    const add = [{ op: "Add", path: "members", value: [{ $ref: null, value: id }] }];
    expect((await patch(at, add, entra)).status).toBe(204);
    const filter = encodeURIComponent(`id eq "${group.body.id}" and members eq "${id}"`);
    const isIn = () => scim("GET", `/Groups?filter=${filter}&attributes=id`, undefined, entra);
    expect((await isIn()).body.totalResults).toBe(1);
    new SCIMMY.Schemas.Group((await scim("GET", at, undefined, entra)).body, "out");
    const remove = [{ op: "Remove", path: "members", value: [{ $ref: null, value: id }] }];
    expect((await patch(at, remove, entra)).status).toBe(204);
    expect((await isIn()).body.totalResults).toBe(0);
    expect(
      (await patch(at, [{ op: "Replace", path: "displayName", value: "Entra team" }], entra)).status,
    ).toBe(204);

    const off = await patch(`/Users/${id}`, [{ op: "Replace", path: "active", value: "False" }], entra);
    expect(off.body.active).toBe(false);
    expect((await scim("DELETE", `/Users/${id}`, undefined, entra)).status).toBe(204);
    expect((await scim("GET", `/Users/${id}`, undefined, entra)).status).toBe(404);
    expect((await scim("DELETE", at, undefined, entra)).status).toBe(204);
  });

  test("Okta's cycle: pages, create with a password, replace, groups by filter, deactivate", async () => {
    const made = await scim(
      "POST",
      "/Users",
      {
        schemas: [USER],
        userName: "otto@example.com",
        name: { givenName: "Otto", familyName: "Ray" },
        emails: [{ primary: true, value: "otto@example.com", type: "work" }],
        displayName: "Otto Ray",
        locale: "en-US",
        externalId: "00ujl29u0le5T6Aj10h7",
        groups: [],
        password: "1mz050nq",
        active: true,
      },
      okta,
    );
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const { rows } = await server.services.database.pool.query("select * from directory_users");
    expect(JSON.stringify([rows, made.body])).not.toContain("1mz050nq");
    const { id } = asUser(made.body);
    const page = await scim("GET", "/Users?startIndex=1&count=1", undefined, okta);
    expect(page.body).toMatchObject({ startIndex: 1, itemsPerPage: 1 });
    const put = await scim(
      "PUT",
      `/Users/${id}`,
      { ...made.body, displayName: "O. Ray", active: undefined },
      okta,
    );
    expect(put).toMatchObject({ status: 200, body: { displayName: "O. Ray", active: true } });

    const member = [{ value: id, display: "otto@example.com" }];
    const group = await scim("POST", "/Groups", { displayName: "okta staff", members: member }, okta);
    const at = `/Groups/${group.body.id}`;
    const rename = [{ op: "replace", value: { id: group.body.id, displayName: "Okta team" } }];
    expect((await patch(at, rename, okta)).status).toBe(204);
    const members = async () => (await scim("GET", at, undefined, okta)).body.members;
    const both = [
      { op: "remove", path: `members[value eq "${id}"]` },
      { op: "add", path: "members", value: member },
    ];
    expect((await patch(at, both, okta)).status).toBe(204);
    expect(await members()).toMatchObject([{ value: id }]);
    expect((await patch(at, [{ op: "replace", path: "members", value: [] }], okta)).status).toBe(204);
    expect(await members()).toEqual([]);
    const off = await patch(`/Users/${id}`, [{ op: "replace", value: { active: false } }], okta);
    expect(off.body.active).toBe(false);
    const again = await scim("PUT", `/Users/${id}`, { userName: "otto@example.com" }, okta);
    expect(again.body.active).toBe(false); // a replacement that forgets it lets nobody back in
  });

  test("what a directory asks first: config, resource types, schemas", async () => {
    const config = await scim("GET", "/ServiceProviderConfig", undefined, entra);
    expect(config.body).toMatchObject({ patch: { supported: true }, bulk: { supported: false } });
    const types = (await scim("GET", "/ResourceTypes", undefined, entra)).body.Resources;
    expect(types.map(({ id }: { id: string }) => id)).toEqual(["User", "Group"]);
    const all = (await scim("GET", "/Schemas", undefined, entra)).body.Resources;
    expect(all.map(({ id }: { id: string }) => id)).toContain(USER);
    const one = await scim("GET", `/Schemas/${USER}`, undefined, entra);
    expect(one.body.attributes[0]).toMatchObject({ name: "userName", required: true, uniqueness: "server" });
    expect((await scim("POST", "/Bulk", {}, entra)).body).toMatchObject({ status: "501" });
  });

  test.each([
    ["a filter that is not understood", "GET", "/Users?filter=userName+is+x", undefined, "invalidFilter"],
    ["a page that is no number", "GET", "/Users?count=many", undefined, "invalidValue"],
    ["a user without a name", "POST", "/Users", { active: true }, "invalidValue"],
    [
      "a member that is not there",
      "POST",
      "/Groups",
      { displayName: "x", members: [{ value: "y" }] },
      "invalidValue",
    ],
    [
      "a group in a group",
      "POST",
      "/Groups",
      { displayName: "x", members: [{ value: "y", type: "Group" }] },
      "invalidValue",
    ],
  ])("%s is refused in SCIM's shape, and nothing is stored", async (_what, method, path, body, scimType) => {
    const count = async () => (await scim("GET", "/Groups?count=0", undefined, entra)).body.totalResults;
    const before = await count();
    const refused = await scim(method, path, body, entra);
    expect(refused).toMatchObject({ status: 400, body: { status: "400", scimType } });
    expect(await count()).toBe(before);
  });

  test("only a directory's token opens it, it opens nothing else, and revoking it takes effect at once", async () => {
    const key = (await server.call("POST", "/v1/keys", { name: "k", rights: ["admin"] }, owner)).body.key;
    for (const authorization of [`Bearer ${key}`, owner.authorization, "Bearer scim_x", ""])
      expect((await scim("GET", "/Users", undefined, { authorization: String(authorization) })).status).toBe(
        401,
      );
    expect((await server.call("GET", "/v1/agents", undefined, entra)).status).toBe(401);
    const more = await server.call("POST", "/v1/scim-tokens", { name: "more" }, owner);
    const as = { authorization: `Bearer ${more.body.token}` };
    expect((await scim("GET", "/Users", undefined, as)).status).toBe(200);
    expect((await server.call("DELETE", `/v1/scim-tokens/${more.body.id}`, undefined, owner)).status).toBe(
      204,
    );
    expect((await scim("GET", "/Users", undefined, as)).status).toBe(401);
    const listed = await server.call("GET", "/v1/scim-tokens", undefined, owner);
    expect(JSON.stringify(listed.body)).not.toContain(more.body.token);
    expect(
      (await server.call("GET", "/v1/audit?action=scim_token.revoked", undefined, owner)).body.items,
    ).toHaveLength(1);
  });

  test("a pushed group gives its role within a second, by name or by the directory's id, and takes it back", async () => {
    await roles("lamp makers", "author");
    await roles("g-77", "admin");
    const page = await signIn("ida", { groups: ["lamp makers"] }); // of the sign-in, until the directory knows her
    await soon(async () => expect(await rightsOf(page())).toEqual(["author"]));
    const { id } = (await scim("POST", "/Users", { userName: "ida@example.com", externalId: "ida" }, entra))
      .body;
    const named = (await scim("POST", "/Groups", { displayName: "Other", externalId: "g-77" }, entra)).body
      .id;
    await soon(async () => expect(await rightsOf(page())).toEqual([])); // older groups of the sign-in count no more
    await patch(`/Groups/${named}`, [{ op: "add", path: "members", value: [{ value: id }] }], entra);
    await soon(async () => expect(await rightsOf(page())).toEqual(["admin"]));
    await scim("DELETE", `/Groups/${named}`, undefined, entra);
    await soon(async () => expect(await rightsOf(page())).toEqual([]));
  });

  test("inactive ends the login for good, and nobody signs in again until the directory says so", async () => {
    await roles("lamp users", "run");
    const { id } = (await scim("POST", "/Users", { userName: "jo@example.com" }, entra)).body;
    await scim("POST", "/Groups", { displayName: "lamp users", members: [{ value: id }] }, entra);
    const before = await signIn("jo");
    expect(await rightsOf(before())).toEqual(["run"]);
    await patch(`/Users/${id}`, [{ op: "replace", path: "active", value: false }], entra);
    expect((await server.call("GET", "/v1/agents", undefined, before())).status).toBe(401);
    expect(await rightsOf((await signIn("jo"))())).toEqual([]); // refused
    await patch(`/Users/${id}`, [{ op: "replace", path: "active", value: true }], entra);
    await soon(async () => expect(await rightsOf((await signIn("jo"))())).toEqual(["run"]));
    expect((await server.call("GET", "/v1/agents", undefined, before())).status).toBe(401);
  });

  test("a removed user keeps no key, even when somebody else gets the same address", async () => {
    const { id } = (await scim("POST", "/Users", { userName: "kay@example.com", externalId: "k1" }, entra))
      .body;
    const asked = { name: "kay", owner: "kay@example.com", rights: ["run"] };
    const key = (await server.call("POST", "/v1/keys", asked, owner)).body.key;
    await scim("DELETE", `/Users/${id}`, undefined, entra);
    const next = await scim("POST", "/Users", { userName: "kay@example.com", externalId: "k2" }, entra);
    expect(next.status).toBe(201);
    const answer = () => server.call("GET", "/v1/agents", undefined, { authorization: `Bearer ${key}` });
    await soon(async () => expect((await answer()).status).toBe(401));
  });

  test("an organisation's own directory applies only there", async () => {
    await roles("acme lamp", "author", acme);
    const page = await signIn("lou");
    const { id } = (await scim("POST", "/Users", { userName: "lou@example.com" }, ofAcme)).body;
    await scim("POST", "/Groups", { displayName: "acme lamp", members: [{ value: id }] }, ofAcme);
    await soon(async () => expect(await rightsOf(page("acme"))).toEqual(["author"]));
    expect(await rightsOf(page())).toEqual([]);
    expect((await byName("lou@example.com")).body.totalResults).toBe(0);
    expect((await scim("GET", `/Users/${id}`, undefined, entra)).status).toBe(404);
    await patch(`/Users/${id}`, [{ op: "replace", path: "active", value: false }], ofAcme);
    await soon(async () =>
      expect((await server.call("GET", "/v1/agents", undefined, page("acme"))).status).toBe(401),
    );
    expect((await server.call("GET", "/v1/me", undefined, page())).body.user).toBe("lou@example.com"); // still signed in
    const mixed = { ...ofAcme, "capstan-organisation": "default" };
    expect((await scim("GET", "/Users", undefined, mixed)).status).toBe(400);
  });
});
