import { CALLED, chunksOf, json, LOOK, SAID, sse, TRY_AGAIN, USAGE } from "../base/chat.ts";
import { type DialectCase, GREETING } from "../base/dialect.ts";

/** The model of these answers. */
export const SERVED = "llama-3.1-70b";
const { chunk, usage } = chunksOf(SERVED);
const ignored = "https://github.com/BaseIntelligence/bounty-challenge/issues/17821";

/** An answer that was not streamed. */
export const wholeAnswer = (message: object, finish_reason: string): object => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_790_000_000,
  model: SERVED,
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
  usage: USAGE,
});

/** Answers of servers that ignore `stream`, or that name another content type. */
export const unstreamedAnswers: readonly DialectCase[] = [
  {
    title: "a whole answer as JSON",
    source: ignored,
    response: json(wholeAnswer({ content: GREETING }, "stop")),
    expected: SAID,
  },
  {
    title: "a whole call as JSON",
    source: `inferred from ${ignored}`,
    response: json(
      wholeAnswer(
        {
          content: null,
          tool_calls: [
            {
              id: "call_abcdefgh1",
              type: "function",
              function: { name: "look", arguments: JSON.stringify(LOOK.input) },
            },
          ],
        },
        "tool_calls",
      ),
    ),
    expected: CALLED,
  },
  {
    title: "an event stream whose content type is JSON",
    source: "https://github.com/microsoft/foundry-dev-tools/issues/195",
    response: {
      ...sse([chunk({ role: "assistant", content: GREETING }), chunk({}, "stop"), usage()]),
      headers: { "content-type": "application/json" },
    },
    expected: SAID,
  },
  {
    title: "half of a JSON answer",
    source: `inferred from ${ignored}`,
    response: {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(wholeAnswer({ content: GREETING }, "stop")).slice(0, 120),
    },
    expected: TRY_AGAIN,
  },
  {
    title: "a page, with status 200",
    source: "https://github.com/openclaw/openclaw/issues/84697",
    response: { headers: { "content-type": "text/html" }, body: "<html>Welcome</html>" },
    expected: TRY_AGAIN,
  },
];
