import { agent, memoryStore, runtime } from "@pawl/core";
import { handler } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { type Attack, brokenIf } from "../frame/attack.ts";

export const attack: Attack = {
  id: "session-ids",
  title: "A session whose id has characters beyond Latin-1 is answered with a 500, and its run begins",
  state: "held",
  guard: {
    file: "packages/sse/test/session/session-ids.test.ts",
    title: "is served whatever characters it has: %s",
  },
  async attempt() {
    const store = memoryStore();
    const model = scriptedModel([{ text: "Hello." }]);
    const pawl = runtime({ agents: [agent({ name: "a", instructions: "i", model })], store });
    const sessionId = "sitzung-ü-😀";
    await store.sessions.create({ id: sessionId, userId: "u", agent: "a" });
    const serve = handler({ runtime: pawl, agent: "a", authorize: () => ({ userId: "u" }) });
    const response = await serve(
      new Request("http://app/runs", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ sessionId, input: "Hi" }),
      }),
    );
    const text = await response.text();
    const named = decodeURIComponent(response.headers.get("x-pawl-session") ?? "");
    const seen = `${response.status}, the header names ${named}`;
    return brokenIf(response.status !== 200 || named !== sessionId || !text.includes("run_ended"), seen);
  },
};
