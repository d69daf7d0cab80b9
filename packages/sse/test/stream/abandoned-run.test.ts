import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { aiSdk } from "../../src/index.ts";
import { serve } from "../support/served.ts";

/** A session with a run that its process has handed over in the middle of the answer. */
async function handedOver() {
  const store = memoryStore();
  const model = scriptedModel([{ text: "word ".repeat(200), delayPerEventMs: 20 }]);
  const coach = agent({ name: "coach", model, instructions: "Be kind." });
  const dead = runtime({ agents: [coach], store, times: { handOverAfterMs: 40 } });
  const { sessionId } = await dead.run("coach", { userId: "ada", input: "Hi" }).started;
  await Array.fromAsync(dead.follow(sessionId, { resume: true })).catch(() => undefined);
  return { store, sessionId };
}

it("U4 resumes a run that nobody works on for the reader of its session's stream", async () => {
  const { store, sessionId } = await handedOver();
  const served = await serve(scriptedModel([{ text: "Finished." }]), { store });
  const response = await served.ask(`/sessions/${sessionId}/stream`);
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes("run_ended")) break;
  }
  expect(text).toContain("Finished.");
  expect(served.errors).toEqual([]);
});

it("U4 resumes it for a page that comes back in a dialect that replays", async () => {
  const { store, sessionId } = await handedOver();
  const served = await serve(scriptedModel([{ text: "Finished." }]), { store, dialect: aiSdk() });
  const response = await served.ask(`/runs/${sessionId}/stream`);
  expect(await response.text()).toContain("Finished.");
});
