import { agent, memoryStore, runtime } from "@pawl/core";
import { handler } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { pause } from "../../support/pause.ts";
import { until } from "../../support/until.ts";
import { type Attack, brokenIf } from "../frame/attack.ts";

export const attack: Attack = {
  id: "attacks-15",
  title: "A stream whose request was aborted never ends for a reader in the same process",
  state: "held",
  guard: {
    file: "packages/sse/test/stream/aborted.test.ts",
    title: "ends for a reader in the same process, when its request is aborted",
  },
  async attempt() {
    const model = scriptedModel([{ text: "Hello.", latencyMs: 20_000 }]);
    const pawl = runtime({
      agents: [agent({ name: "a", instructions: "i", model })],
      store: memoryStore(),
    });
    const serve = handler({
      runtime: pawl,
      agent: "a",
      authorize: () => ({ userId: "u" }),
      heartbeatMs: 200,
    });
    const abort = new AbortController();
    const response = await serve(
      new Request("http://app/runs", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"input":"Hi"}',
        signal: abort.signal,
      }),
    );
    let chunks = 0;
    const reading = (async () => {
      for await (const _ of response.body ?? []) chunks += 1;
    })().then(
      () => "ended",
      () => "broke off",
    );
    await until(() => chunks > 0);
    abort.abort();
    const how = await Promise.race([reading, late()]);
    return brokenIf(how.startsWith("waits"), `the reader ${how}`);
  },
};

async function late(): Promise<string> {
  await pause(3_000, "for the end of a stream that may never come");
  return "waits after 3 s";
}
