import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { aiSdk, handler } from "../../src/index.ts";

const TOKENS = { ada: "tok_ada_4f2c9a7e1b8d6053", ben: "tok_ben_91c3d5e7f9a1b3c5" };

/** Ada's run that waits for credentials, and a handler of another process. The header names the caller. */
async function waiting(options: Partial<Parameters<typeof handler>[0]> = {}) {
  const store = memoryStore();
  const slow = scriptedModel([{ text: "word ".repeat(200), delayPerEventMs: 20 }]);
  const dying = agent({ name: "clerk", model: slow, instructions: "You write mails." });
  const dead = runtime({ agents: [dying], store, times: { handOverAfterMs: 40 } });
  const from = { userId: "team", caller: { name: "ada" }, credentials: TOKENS.ada };
  const { sessionId } = await dead.run("clerk", { ...from, input: "Hi" }).started;
  await Array.fromAsync(dead.follow(sessionId, { resume: true })).catch(() => undefined);

  const seen: unknown[] = [];
  const clerk = agent({
    name: "clerk",
    model: scriptedModel([{ text: "Finished." }]),
    instructions: "You write mails.",
    hooks: [
      {
        name: "spy",
        beforeTurn: (_plan, { caller, credentials }) => void seen.push([caller.name, credentials]),
      },
    ],
  });
  const pawl = runtime({ agents: [clerk], store });
  const serve = handler({
    runtime: pawl,
    agent: clerk,
    authorize: ({ headers }) => {
      const name = headers.get("authorization") as keyof typeof TOKENS;
      return { userId: "team", caller: { name }, credentials: TOKENS[name] };
    },
    ...options,
  });
  const get = async (name: string, path: string) =>
    await serve(new Request(`http://localhost${path}`, { headers: { authorization: name } }));
  const pending = async () => (await pawl.view(sessionId, { userId: "team" })).pending;
  return { sessionId, get, pending, seen };
}

async function readUntil(response: Response, word: string) {
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes(word)) break;
  }
  return text;
}

describe("F17 a run that asks for credentials takes those of its own caller only, from readers", () => {
  it("of the session's stream", async () => {
    const { sessionId, get, pending, seen } = await waiting();
    await readUntil(await get("ben", `/sessions/${sessionId}/stream`), "run_suspended");
    expect(await pending()).toMatchObject([{ kind: "credentials" }]);
    expect(await readUntil(await get("ada", `/sessions/${sessionId}/stream`), "run_ended")).toContain(
      "Finished.",
    );
    expect(seen).toEqual([["ada", TOKENS.ada]]);
  });

  it("in a dialect that replays, where the stream of another caller ends at the question", async () => {
    const { sessionId, get, pending, seen } = await waiting({ dialect: aiSdk() });
    for (let times = 0; times < 2; times += 1) await (await get("ben", `/runs/${sessionId}/stream`)).text();
    expect(await pending()).toMatchObject([{ kind: "credentials" }]);
    expect(await (await get("ada", `/runs/${sessionId}/stream`)).text()).toContain("Finished.");
    expect(seen).toEqual([["ada", TOKENS.ada]]);
  });
});
