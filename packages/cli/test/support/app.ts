// An app that begins a run by itself. Its model answers after the time in ANSWER_MS.
import { metrics } from "@opentelemetry/api";
import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { pause } from "../../../../test/support/pause.ts";

metrics.getMeter("app").createCounter("app.loaded").add(1);

const coach = agent({
  name: "coach",
  model: scriptedModel(async () => {
    console.log("asked");
    await pause(Number(process.env.ANSWER_MS ?? 0), "the time that the model takes");
    return { text: "Hello." };
  }),
  instructions: "Be kind.",
});

export const pawl = runtime({ agents: [coach], store: memoryStore() });

const run =
  process.env.ANSWER_MS === undefined ? undefined : pawl.run("coach", { userId: "ada", input: "Hi" });
run?.result.catch(() => undefined);

export async function close(): Promise<void> {
  console.log(`closed after ${(await run?.result)?.stop.type}`);
}
