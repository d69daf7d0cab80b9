import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { asp, coach, metrics, trainer } from "../../src/dialects.ts";
import { type Dialect, native } from "../../src/index.ts";
import { serve } from "../support/served.ts";

type Message = (session: string | undefined, text: string) => object;
const camel = (field: string): Message => {
  return (sessionId, text) => ({ sessionId, [field]: text, clientMessageId: "m1" });
};

const ways: [string, Dialect, Message][] = [
  ["native", native(), camel("input")],
  ["coach", coach(), camel("message")],
  ["trainer", trainer(), camel("message")],
  ["metrics", metrics(), camel("message")],
  ["asp", asp(), (session_id, message) => ({ session_id, message, client_message_id: "m1" })],
];

describe.each(ways)("P2 a message whose id is known (%s)", (_name, dialect, message) => {
  it("is refused with another text, and never gets the answer to the old one", async () => {
    const model = scriptedModel([{ text: "Four." }, { text: "Six." }]);
    const served = await serve(model, { dialect });
    const first = await served.ask("/runs", { json: message(undefined, "2 + 2?") });
    await first.text();
    const sessionId = first.headers.get("x-pawl-session") ?? undefined;
    for (const session of [sessionId, undefined]) {
      const changed = await served.ask("/runs", { json: message(session, "3 + 3?") });
      expect([changed.status, await changed.text()]).toEqual([
        400,
        expect.stringContaining("already stored with a different text"),
      ]);
      const again = await served.ask("/runs", { json: message(session, "2 + 2?") });
      expect([again.status, again.headers.get("x-pawl-session")]).toEqual([200, sessionId]);
      await again.text();
    }
    expect(model.requests).toHaveLength(1);
  });
});
