/** A session opened by a link, without a key: the messages, and files to download. Nothing else is possible. */
import type { SharedSession } from "@capstan/client";
import { useEffect, useState } from "react";
import { Button } from "../../kit/button.tsx";
import { saveAs } from "../../kit/save-as.ts";
import { Loading } from "../../kit/states.tsx";
import { Markdown } from "../../markdown/markdown.tsx";
import { api } from "../../server/api.ts";

export default function LinkedSession() {
  const [secret] = useState(() => location.hash.slice(1));
  const [session, setSession] = useState<SharedSession | "none">();
  useEffect(() => {
    const left = new AbortController();
    void api.shared.get(secret, left.signal).then((answer) => {
      if (!left.signal.aborted) setSession(answer.ok ? answer.value : "none");
    });
    return () => left.abort();
  }, [secret]);
  return (
    <main className="scroll-quiet mx-auto flex h-full max-w-3xl flex-col gap-5 overflow-y-auto px-4 py-8">
      {session === undefined && <Loading rows={4} />}
      {session === "none" && <p role="alert">This link has expired, was revoked, or is incomplete.</p>}
      {typeof session === "object" && <Conversation session={session} secret={secret} />}
    </main>
  );
}

function Conversation({ session, secret }: { session: SharedSession; secret: string }) {
  const { agent, messages, files, expires_at, has_more } = session;
  const title = session.title || "A conversation";
  useEffect(() => {
    document.title = `${title} · Capstan`;
  }, [title]);
  return (
    <>
      <header>
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        <p className="mt-1 text-ink-soft">
          {agent && `With ${agent}. `}Read-only, until {new Date(expires_at).toLocaleString()}.
        </p>
      </header>
      <ol className="flex flex-col gap-4">
        {messages.map(({ role, text, created_at }) => (
          <li key={`${created_at} ${role}`} className="flex flex-col gap-1">
            <span className="text-ink-soft text-sm">{role === "user" ? "Person" : (agent ?? "Agent")}</span>
            <Markdown text={text} />
          </li>
        ))}
      </ol>
      {has_more && <p className="text-ink-soft">The conversation is longer than what is shown here.</p>}
      {files && files.length > 0 && <Files files={files} secret={secret} />}
    </>
  );
}

function Files({ files, secret }: { files: NonNullable<SharedSession["files"]>; secret: string }) {
  const save = async (path: string) => {
    const answer = await api.shared.file(secret, path);
    if (answer.ok) saveAs(path.split("/").at(-1) ?? "file", new Uint8Array(await answer.value.arrayBuffer()));
  };
  return (
    <section aria-label="Files" className="flex flex-col gap-2">
      <h2 className="font-semibold">Files</h2>
      <ul className="flex flex-col gap-1">
        {files.map(({ path }) => (
          <li key={path}>
            <Button onClick={() => void save(path)}>{path}</Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
