import { CALLED, json, LOOK, SAID, TRY_AGAIN } from "../base/chat.ts";
import { type DialectCase, GREETING } from "../base/dialect.ts";

/** The model behind these gateways. */
export const BEHIND = "qwen3-32b";

/** An answer that was not streamed. */
const message = (content: unknown, stop_reason: string) => ({
  id: "msg_01",
  type: "message",
  role: "assistant",
  model: BEHIND,
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 20, output_tokens: 5 },
});

/** Answers of gateways that ignore `stream`. */
export const unstreamedMessages: readonly DialectCase[] = [
  {
    title: "a whole answer as JSON",
    source: "inferred from https://github.com/BaseIntelligence/bounty-challenge/issues/17821",
    response: json(message([{ type: "text", text: GREETING }], "end_turn")),
    expected: SAID,
  },
  {
    title: "a whole call as JSON",
    source: "inferred from https://github.com/BaseIntelligence/bounty-challenge/issues/17821",
    response: json(message([{ type: "tool_use", id: "toolu_01", ...LOOK }], "tool_use")),
    expected: CALLED,
  },
  {
    title: "a page, with status 200",
    source: "inferred from https://github.com/openclaw/openclaw/issues/84697",
    response: { headers: { "content-type": "text/html" }, body: "<html>Welcome</html>" },
    expected: TRY_AGAIN,
  },
];
