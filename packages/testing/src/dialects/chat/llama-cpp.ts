import {
  CALLED,
  callPiece,
  chunksOf,
  json,
  LOOK,
  SAID,
  sse,
  TOO_LONG,
  TRY_AGAIN,
  usual,
} from "../base/chat.ts";
import { ABSENT, type Dialect, GREETING } from "../base/dialect.ts";

const model = "qwen3-8b";
const docs = "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md";
const { chunk, odd, usage } = chunksOf(model);
const tooLong = (message: string) => ({
  error: { code: 400, message, type: "exceed_context_size_error", n_prompt_tokens: 14_429, n_ctx: 8_192 },
});

/** The server of llama.cpp. */
export const llamaCppDialect: Dialect = {
  name: "llama-cpp",
  title: "llama.cpp",
  api: "chat",
  model,
  cases: {
    ...usual(model, docs),
    reasoning: [
      {
        title: "the field `reasoning_content`",
        source: docs,
        response: sse([
          odd({ reasoning_content: "Hm." }),
          odd({ content: GREETING }),
          chunk({}, "stop"),
          usage(),
        ]),
        expected: SAID,
      },
    ],
    refusal: ABSENT.refusal,
    filter: ABSENT.filter,
    overflow: [
      {
        title: "status 400, `exceed_context_size_error`",
        source: "https://github.com/NousResearch/hermes-agent/issues/89502",
        response: json(
          tooLong(
            "request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it",
          ),
          400,
        ),
        expected: TOO_LONG,
      },
      {
        title: "status 500, by its message",
        source: "https://github.com/ggml-org/llama.cpp/issues/19774",
        response: json(
          { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
          500,
        ),
        expected: TOO_LONG,
      },
      {
        title: "the error with status 200",
        source: "https://github.com/oobabooga/textgen/issues/7257",
        response: json(
          tooLong(
            "the request exceeds the available context size. try increasing the context size or enable context shift",
          ),
        ),
        expected: TOO_LONG,
      },
    ],
    contentType: ABSENT.streams,
    brokenCall: [
      {
        title: "status 500, `server_error`",
        source: "https://github.com/ggml-org/llama.cpp/issues/23838",
        response: json(
          {
            error: {
              code: 500,
              message:
                "Failed to parse input at pos 395: <|tool_call_start|>[look(city='Malmö')]<|tool_call_end|>",
              type: "server_error",
            },
          },
          500,
        ),
        expected: TRY_AGAIN,
      },
    ],
    errorIn200: [
      {
        title: "`server_error` in the stream",
        source: "inferred from https://github.com/ggml-org/llama.cpp/issues/19774",
        response: sse([
          chunk({ content: "Grü" }),
          { error: { code: 500, message: "failed to decode", type: "server_error" } },
        ]),
        expected: { text: "Grü", ...TRY_AGAIN },
      },
    ],
    noEnd: [
      {
        title: "the finish reason and the usage, then the end of the body (ik_llama.cpp)",
        source: "https://github.com/ikawrakow/ik_llama.cpp/issues/467",
        response: sse([chunk({ role: "assistant", content: GREETING }), chunk({}, "stop"), usage()], ""),
        expected: SAID,
      },
      {
        title: "a call, the finish reason, then the end of the body",
        source: "https://github.com/ikawrakow/ik_llama.cpp/issues/467",
        response: sse(
          [
            chunk(
              callPiece(0, { id: "call_abcdefgh1", name: "look", arguments: JSON.stringify(LOOK.input) }),
            ),
            chunk({}, "tool_calls"),
          ],
          "",
        ),
        expected: { calls: CALLED.calls ?? [], stop: "tool_use" },
      },
    ],
    contentList: ABSENT.text,
    inputObject: ABSENT.json,
    legacyCall: ABSENT.tools,
  },
};
