import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import {
  agent,
  type Hook,
  memoryStore,
  PawlError,
  type RuntimeOptions,
  runtime,
  withRetry,
} from "../../src/index.ts";
import { setup, user } from "../support/setup.ts";

const failure = (message: string, retryable: boolean) =>
  new PawlError("model_error", message, { details: { retryable } });

/** A run over a model that always throws `error`, and what reached the runtime's `onError`. */
async function failedRun(error: unknown, hooks: readonly Hook[] = [], options: object = {}) {
  const seen: unknown[] = [];
  const world = setup(
    { script: [{ text: "Never." }] },
    { hooks },
    { onError: (thrown) => seen.push(thrown), ...options } as Partial<RuntimeOptions<unknown>>,
    (model) =>
      error === undefined
        ? model
        : {
            ...model,
            // biome-ignore lint/correctness/useYield: it fails before its first event
            async *stream() {
              throw error;
            },
          },
  );
  return { ...world, seen, result: await world.say("Hi", { clientMessageId: "m1" }) };
}

describe("U5 the first failure says its cause", () => {
  it("U5 the model's failure is on the result and reaches onError", async () => {
    const error = failure("SOME_KEY is not set.", false);
    const { result, seen } = await failedRun(error);
    expect(result.stop).toEqual({
      type: "error",
      message: "Something is set up wrong on our side. Please contact support.",
      cause: "SOME_KEY is not set.",
    });
    expect(seen).toEqual([error]);
  });

  it("U5 a failing hook before the first request, and failing deps, do so too", async () => {
    const beforeRun = () => {
      throw new Error("no connection to the CRM");
    };
    const hooked = await failedRun(undefined, [{ name: "crm", beforeRun }]);
    expect(hooked.result.stop.cause).toBe('beforeRun of "crm": no connection to the CRM');
    expect(String(hooked.seen)).toContain("no connection to the CRM");

    const deps = () => {
      throw new Error("no database");
    };
    const { result, seen } = await failedRun(undefined, [], { deps });
    expect(result.stop).toMatchObject({ type: "error", cause: "no database" });
    expect(seen).toHaveLength(1);
  });

  it("U5 the cause has no key, and neither events for clients nor views have it", async () => {
    const { result, pawl } = await failedRun(failure("refused: sk-ant-api03-secretsecret", false));
    expect(result.stop.cause).toBe("refused: sk-ant-…");
    const view = await pawl.view(result.sessionId, user);
    expect(JSON.stringify(view)).not.toContain("refused");
  });

  it("U5 another process, which reads only the log, returns the same cause", async () => {
    const { result, store, of } = await failedRun(failure("No such model.", false));
    const made = agent({ name: "tester", model: scriptedModel([]), instructions: "You are a test." });
    const { sessionId, runId } = result;
    await store.append(sessionId, [{ type: "note", data: { text: "later" } }], { appendId: "later" });
    const other = runtime({ agents: [made], store });
    // A message that is sent again gets the first run.
    const again = other.run("tester", { ...user, sessionId, input: "Hi", clientMessageId: "m1" });
    const { stop } = await again.result;
    expect(await again.started).toMatchObject({ runId });
    expect(stop).toEqual(result.stop);
    const [ended] = await of(sessionId, "run_ended");
    expect(ended?.data.stop).toEqual({ type: stop.type, message: stop.message });
  });

  it("U5 an error that the run survived is no cause, nor is one of its end", async () => {
    const failing: Hook = {
      name: "late",
      afterRun: () => {
        throw new Error("late");
      },
      afterModel: () => {
        throw new Error("ignored");
      },
    };
    const { result } = await failedRun(undefined, [failing]);
    expect(result.stop).toEqual({ type: "end_turn", message: "Done." });
    const { result: failed } = await failedRun(failure("Out of credit.", false), [failing]);
    expect(failed.stop.cause).toBe("Out of credit.");
  });

  it("U5 a failed attempt that was retried is no cause, and does not reach onError", async () => {
    const seen: unknown[] = [];
    const world = setup(
      [{ fault: { status: 529 } }, { text: "Hello." }],
      {},
      { onError: (error) => seen.push(error) },
      (model) => withRetry(model, { baseMs: 1 }),
    );
    expect((await world.say("Hi")).stop).toEqual({ type: "end_turn", message: "Done." });
    expect(seen).toEqual([]);
  });

  it("U5 an onError that throws does not change how the run ends", async () => {
    expectPrinted("pawl: onError failed: the log server is down");
    const onError = () => {
      throw new Error("the log server is down");
    };
    const { result } = await failedRun(failure("Out of credit.", false), [], { onError });
    expect(result.stop.cause).toBe("Out of credit.");
  });

  it("U5 without onError, the console has it", async () => {
    const lines: string[] = [];
    const { error } = console;
    console.error = (line: string) => void lines.push(line);
    try {
      const model = scriptedModel([]);
      const made = agent({ name: "a", model, instructions: "Help." });
      const { stop } = await runtime({ agents: [made], store: memoryStore() }).run("a", {
        ...user,
        input: "Hi",
      }).result;
      expect(stop).toMatchInlineSnapshot(`
        {
          "cause": "The script of "claude-scripted" is out of replies: it has 0 replies, and this is request 1.",
          "message": "Something is set up wrong on our side. Please contact support.",
          "type": "error",
        }
      `);
      expect(lines).toEqual([expect.stringContaining(`pawl: ${stop.cause} (https://`)]);
    } finally {
      console.error = error;
    }
  });
});
