import {
  CALLED,
  CALLED_BOTH,
  chunksOf,
  FIND,
  json,
  LOOK,
  REFUSED,
  SAID,
  sse,
  TOO_LONG,
  TRY_AGAIN,
  usual,
} from "../base/chat.ts";
import { ABSENT, type Dialect, GREETING } from "../base/dialect.ts";

const model = "gemini-3-pro-preview";
const docs = "https://ai.google.dev/gemini-api/docs/openai";
const signatures = "https://ai.google.dev/gemini-api/docs/thought-signatures";
// These reasons are documented for Gemini's own API. Gateways pass them on, as they do `STOP`.
const reasons = "inferred from https://ai.google.dev/api/generate-content#FinishReason";
const { odd, usage } = chunksOf(model);
const extra_content = { google: { thought_signature: "CiQBVKhc7g==" } };

const call = ({ name, input }: { name: string; input: object }, index: number, more: object = {}) => ({
  index,
  id: `function-call-1234567890${index}`,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
  ...more,
});
const calls = (...tool_calls: object[]) => odd({ role: "assistant", tool_calls }, "tool_calls");

/** Gemini's Chat Completions: signatures that must come back, reasons in capitals, errors in lists. */
export const geminiDialect: Dialect = {
  name: "gemini",
  title: "Gemini (Chat Completions)",
  api: "chat",
  model,
  cases: {
    ...usual(model, docs),
    whole: [
      {
        title: "the finish reason `STOP`, behind a gateway",
        source: "https://github.com/QwenLM/qwen-code/pull/9884",
        response: sse([odd({ role: "assistant", content: GREETING }), odd({}, "STOP"), usage()]),
        expected: SAID,
      },
      {
        title: "the finish reason `MAX_TOKENS`, without content, behind a gateway",
        source: "https://github.com/QwenLM/qwen-code/pull/9884",
        response: sse([odd({ role: "assistant" }, "MAX_TOKENS"), usage()]),
        expected: { stop: "max_tokens", tokens: [20, 5] },
      },
    ],
    calls: [
      {
        title: "a call with a signature that must come back",
        source: signatures,
        response: sse([calls(call(LOOK, 0, { extra_content })), usage()]),
        expected: CALLED,
        wantsBack: { extra_content },
      },
      {
        title: "a call that ends with `end_turn`, behind LiteLLM",
        source: "https://github.com/BerriAI/litellm/issues/12481",
        response: sse([odd({ tool_calls: [call(LOOK, 0)] }), odd({}, "end_turn"), usage()]),
        expected: CALLED,
      },
    ],
    parallel: [
      {
        title: "two calls with the index 0, the first one with a signature",
        source: signatures,
        response: sse([
          odd({ tool_calls: [call(LOOK, 0, { extra_content })] }),
          odd({ tool_calls: [{ ...call(FIND, 0), id: "function-call-12345678909" }] }),
          odd({}, "stop"),
          usage(),
        ]),
        expected: CALLED_BOTH,
        wantsBack: { extra_content },
      },
    ],
    reasoning: { absent: "Its thoughts come only on request, as text with a mark." },
    refusal: ABSENT.refusal,
    filter: [
      {
        title: "the finish reason `SAFETY`",
        source: reasons,
        response: sse([odd({ content: "Grü" }), odd({}, "SAFETY"), usage()]),
        expected: { ...REFUSED, text: "Grü" },
      },
      {
        title: "the finish reason `PROHIBITED_CONTENT`, without content",
        source: reasons,
        response: sse([odd({}, "PROHIBITED_CONTENT"), usage()]),
        expected: REFUSED,
      },
    ],
    overflow: [
      {
        title: "status 400, an error in a list",
        source: "inferred from https://github.com/google-gemini/gemini-cli/issues/6678",
        response: json(
          [
            {
              error: {
                code: 400,
                message:
                  "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
                status: "INVALID_ARGUMENT",
              },
            },
          ],
          400,
        ),
        expected: TOO_LONG,
      },
    ],
    contentType: ABSENT.streams,
    brokenCall: ABSENT.errors,
    errorIn200: [
      {
        title: "an error in a list, instead of an answer",
        source: "inferred from https://github.com/leookun/cursor-byok/issues/112",
        response: json([
          { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } },
        ]),
        expected: TRY_AGAIN,
      },
      {
        title: "the finish reason `MALFORMED_FUNCTION_CALL`",
        source: reasons,
        response: sse([odd({}, "MALFORMED_FUNCTION_CALL"), usage()]),
        expected: TRY_AGAIN,
      },
    ],
    noEnd: ABSENT.end,
    contentList: ABSENT.text,
    inputObject: ABSENT.json,
    legacyCall: ABSENT.tools,
  },
};
