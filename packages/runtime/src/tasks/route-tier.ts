/**
 * The router's embeddings: the static table, always available, and MiniLM where its packages are
 * installed. The table is used until the model has read a whole catalog, so that one ranking never mixes the two.
 */
import { createRouteIndex } from "@capstan/core";
import {
  documentTexts,
  type Embed,
  type Gloss,
  inEnglish,
  type RouteDocument,
  type RouteIndex,
  taskTexts,
} from "@capstan/core/internal";

/** An asynchronous embedding: texts are prepared first, then read synchronously. */
export interface PreparedEmbed {
  prepare(texts: readonly string[]): Promise<void>;
  readonly embed: Embed;
}

export interface RouteTier {
  readonly name: "static" | "minilm";
  /** Read from disk at the first call. */
  readonly table: () => Embed;
  readonly gloss: Gloss | undefined;
  /** Absent on the static tier, and after the model failed. */
  readonly model: () => PreparedEmbed | undefined;
  /** Gives up on the model: from now on the table is used. */
  readonly failed: (error: unknown) => void;
  /** Texts of capabilities that the model still has to read. */
  readonly waiting: () => number;
  /** An index over both; documents are added and removed individually. */
  createIndex(): TieredIndex;
  close(): Promise<void>;
}

export interface TieredIndex extends Pick<RouteIndex, "add" | "remove"> {
  /** The best complete one. */
  current(): RouteIndex;
  /** The same, once the model knows the task's own texts. */
  forTask(task: string): Promise<RouteIndex>;
}

export interface TierParts {
  readonly model?: (PreparedEmbed & { close?(): Promise<void> }) | undefined;
  readonly table: () => Embed;
  /** English words for tasks in other languages. */
  readonly gloss?: Gloss | undefined;
  readonly onError: (error: unknown, what: string) => void;
}

export function routeTier({ model, table, gloss, onError }: TierParts): RouteTier {
  let given = model;
  let waiting = 0;
  const failed = (error: unknown) => {
    if (given) onError(error, "the MiniLM tier; routing continues with the static table");
    given = undefined;
  };
  const working = () => given;
  return {
    name: model ? "minilm" : "static",
    table,
    gloss,
    model: working,
    failed,
    waiting: () => (given ? waiting : 0),
    createIndex: () =>
      tieredIndex({
        table,
        gloss,
        model: working,
        failed,
        counted: (texts) => {
          waiting += texts;
        },
      }),
    close: async () => {
      given = undefined;
      await model?.close?.();
    },
  };
}

interface IndexParts {
  readonly table: () => Embed;
  readonly gloss: Gloss | undefined;
  readonly model: () => PreparedEmbed | undefined;
  readonly failed: (error: unknown) => void;
  readonly counted: (texts: number) => void;
}

function tieredIndex({ table, gloss, model, failed, counted }: IndexParts): TieredIndex {
  const plain = createRouteIndex({ embed: table(), gloss });
  const chosen = model();
  if (!chosen) return { ...plainIndex(plain), current: () => plain, forTask: async () => plain };
  const read = readingIndex(chosen, { gloss, failed, counted });
  const current = () => (model() && read.isComplete() ? read.index : plain);
  return {
    add(document) {
      plain.add(document);
      read.add(document);
    },
    remove(id) {
      read.remove(id);
      return plain.remove(id);
    },
    current,
    async forTask(task) {
      if (current() === plain) return plain;
      await chosen.prepare(taskTexts(inEnglish(task, read.index))).catch(failed);
      return current();
    },
  };
}

const plainIndex = (index: RouteIndex) => ({ add: index.add, remove: index.remove });

/** An index whose documents are added once the model has read them, one after the other. */
function readingIndex(
  model: PreparedEmbed,
  { gloss, failed, counted }: Pick<IndexParts, "gloss" | "failed" | "counted">,
) {
  const index = createRouteIndex({ embed: model.embed, gloss });
  const unread = new Map<string, { document: RouteDocument; texts: readonly string[] }>();
  let reading = false;
  const drop = (id: string) => {
    counted(-(unread.get(id)?.texts.length ?? 0));
    unread.delete(id);
  };
  const read = async () => {
    for (let [next] = unread; next; [next] = unread) {
      const [id, entry] = next;
      await model.prepare(entry.texts);
      if (unread.get(id) !== entry) continue; // replaced or removed meanwhile
      index.add(entry.document);
      drop(id);
    }
  };
  const start = () => {
    if (reading) return;
    reading = true;
    read()
      .catch(failed)
      .finally(() => {
        reading = false;
      });
  };
  return {
    index,
    isComplete: () => unread.size === 0,
    add(document: RouteDocument) {
      const { own, triggers } = documentTexts(document);
      drop(document.id);
      const texts = [own, ...triggers];
      unread.set(document.id, { document, texts });
      counted(texts.length);
      start();
    },
    remove(id: string) {
      drop(id);
      index.remove(id);
    },
  };
}
