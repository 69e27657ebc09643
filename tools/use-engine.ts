/** The engine under test for a whole `describe`: opening one costs seconds. Each test scripts the model's answers. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { type EngineOptions, type EngineUnderTest, openEngine } from "./engine-under-test.ts";
import type { Script } from "./scripted-model.ts";
import type { FreshStore } from "./stores-under-test.ts";

export function useEngine(
  fresh: () => Promise<FreshStore>,
  options: Omit<EngineOptions, "script"> = {},
): EngineInUse {
  let store: FreshStore | undefined;
  const use = {} as EngineInUse;
  beforeAll(async () => {
    store = await fresh();
    const engine = await openEngine(store, { ...options, script: (call, step) => use.answers(call, step) });
    Object.assign(use, engine);
  });
  beforeEach(() => {
    use.notes.length = 0;
    use.records.length = 0;
    use.answers = () => [{ text: "Yes." }];
  });
  afterAll(async () => {
    await use.close();
    await store?.drop();
  });
  afterEach(() => {
    expect(use.errors.splice(0)).toEqual([]);
  });
  return use;
}

export interface EngineInUse extends EngineUnderTest {
  answers: Script;
}
