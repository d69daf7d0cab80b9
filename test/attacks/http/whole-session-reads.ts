import { agent, memoryStore, runtime } from "@pawl/core";
import type { NewEvent } from "@pawl/core/store";
import { handler } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";
import { peakMb } from "../parts/peak.ts";

const LOG_MB = 3;
const READERS = 20;

export const attack: Attack = {
  id: "attacks-07",
  title: "Requests for whole sessions hold each of them whole, as many as come at once",
  state: "held",
  guard: {
    file: "packages/sse/test/handler/read-limits.test.ts",
    title: "are at most so many at once; one user has half, and the others wait in order",
  },
  attempt: () =>
    brokenByAny({
      events: () => read((id) => `/sessions/${id}/events`),
      view: () => read((id) => `/sessions/${id}`),
    }),
};

async function read(path: (sessionId: string) => string): Promise<string> {
  const model = scriptedModel([{ text: "Hello." }]);
  const store = memoryStore();
  const pawl = runtime({ agents: [agent({ name: "a", instructions: "i", model })], store });
  const { sessionId } = await pawl.run("a", { userId: "u", input: "Hi" }).result;
  const words = "lorem ipsum dolor sit amet ".repeat(400);
  for (let written = 0; written < LOG_MB * 1e6; written += words.length) {
    // Each text is one of its own, as out of a database.
    const message = `${written} ${words}`.split("").join("");
    const event: NewEvent = { type: "user_message", data: { message } };
    await store.append(sessionId, [event], { appendId: crypto.randomUUID() });
  }
  const serve = handler({ runtime: pawl, agent: "a", authorize: () => ({ userId: "u" }) });
  const reader = async () => {
    const response = await serve(new Request(`http://app${path(sessionId)}`));
    let length = 0;
    for await (const chunk of response.body ?? []) length += chunk.length;
    if (response.status === 200 && length < LOG_MB * 1e6) throw new Error(`The answer has ${length} bytes.`);
    return response.status;
  };
  const { value, grownMb } = await peakMb(() => Promise.all(Array.from({ length: READERS }, reader)));
  const served = value.filter((status) => status === 200).length;
  return brokenIf(
    grownMb > 15 * LOG_MB,
    `${served} of ${READERS} served at once, ${grownMb} MB for ${LOG_MB} MB`,
  );
}
