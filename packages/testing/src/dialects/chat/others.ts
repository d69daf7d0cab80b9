import { CALLED, chunksOf, json, LOOK, SAID, sse, TOO_LONG, TRY_AGAIN, usual } from "../base/chat.ts";
import { ABSENT, type Dialect, type DialectCase, GREETING } from "../base/dialect.ts";
import { SERVED, unstreamedAnswers, wholeAnswer } from "./unstreamed.ts";

const model = SERVED;
const { chunk, odd, usage } = chunksOf(model);
const legacy = "https://github.com/QwenLM/qwen-code/pull/6240";

const ends = (reason: string, source: string): DialectCase => ({
  title: `the finish reason \`${reason}\``,
  source,
  response: sse([odd({ role: "assistant", content: GREETING }), odd({}, reason), usage()]),
  expected: SAID,
});

/** Servers of which one thing was reported: Together, TGI, Cohere, LM Studio, xAI, and gateways. */
export const otherChatDialect: Dialect = {
  name: "others",
  title: "Together, TGI, Cohere, LM Studio, xAI, gateways",
  api: "chat",
  model,
  cases: {
    ...usual(model, "inferred from npm openai@7.59.0, ChatCompletionChunk"),
    whole: [
      ends("eos", "https://github.com/openai/openai-dotnet/pull/267"),
      ends("eos_token", "https://github.com/huggingface/text-generation-inference/pull/2344"),
      ends(
        "end",
        "https://github.com/earendil-works/pi/blob/main/packages/ai/src/providers/openai-completions.ts",
      ),
      ends("COMPLETE", "https://github.com/BerriAI/litellm/pull/28223"),
    ],
    reasoning: ABSENT.reasoning,
    refusal: ABSENT.refusal,
    filter: ABSENT.filter,
    overflow: [
      {
        title: "status 400, by the message of LM Studio",
        source: "https://github.com/earendil-works/pi/blob/main/packages/ai/src/utils/overflow.ts",
        response: json(
          {
            error: "The number of tokens to keep from the initial prompt is greater than the context length",
          },
          400,
        ),
        expected: TOO_LONG,
      },
      {
        title: "status 400, by the message of xAI",
        source: "https://github.com/earendil-works/pi/blob/main/packages/ai/src/utils/overflow.ts",
        response: json(
          {
            code: "Client specified an invalid argument",
            error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
          },
          400,
        ),
        expected: TOO_LONG,
      },
      {
        title: "status 400, by the message of a gateway",
        source: "https://github.com/earendil-works/pi/blob/main/packages/ai/src/utils/overflow.ts",
        response: json(
          {
            error: { message: "Input length (265330) exceeds model's maximum context length (262144)." },
          },
          400,
        ),
        expected: TOO_LONG,
      },
      {
        title: "status 200, `server_error` in the stream (Kronk)",
        source: "https://github.com/ardanlabs/kronk/issues/862",
        response: sse([
          {
            error: {
              code: "server_error",
              message:
                "unable to process request: the context window is full. Please reduce the input size or increase the context window",
              type: "server_error",
            },
          },
        ]),
        expected: TOO_LONG,
      },
    ],
    contentType: unstreamedAnswers,
    brokenCall: ABSENT.errors,
    errorIn200: [
      {
        title: "an error of FastAPI, instead of an answer",
        source: "inferred from https://fastapi.tiangolo.com/tutorial/handling-errors/",
        response: json({ detail: "Internal Server Error" }),
        expected: TRY_AGAIN,
      },
      {
        title: "an error that the request would meet again, instead of an answer",
        source: "https://github.com/runpod-workers/worker-vllm/issues/57",
        response: json({
          object: "error",
          message: "The model `llama-3.1-70b` does not exist.",
          type: "NotFoundError",
          param: null,
          code: 404,
        }),
        expected: { failure: { retryable: false } },
      },
    ],
    noEnd: [
      {
        title: "the finish reason, then the end of the body",
        source: "https://github.com/oobabooga/textgen/issues/4778",
        response: sse([chunk({ content: GREETING }), chunk({}, "stop")], ""),
        expected: { text: GREETING, stop: "end_turn" },
      },
      {
        title: "no finish reason and no `[DONE]`",
        source: "https://github.com/anomalyco/opencode/issues/43379",
        response: sse([chunk({ content: GREETING })], ""),
        expected: { text: GREETING, ...TRY_AGAIN },
      },
    ],
    contentList: [
      {
        title: "a whole answer as JSON, with a list of parts",
        source: "https://github.com/spring-projects/spring-ai/issues/5019",
        response: json(wholeAnswer({ content: [{ type: "text", text: GREETING }] }, "stop")),
        expected: SAID,
      },
    ],
    inputObject: [
      {
        title: "a whole call as JSON, with its input as an object",
        source: "inferred from https://github.com/BerriAI/litellm/pull/24095",
        response: json(
          wholeAnswer(
            {
              content: null,
              tool_calls: [
                { id: "call_abcdefgh1", type: "function", function: { name: "look", arguments: LOOK.input } },
              ],
            },
            "tool_calls",
          ),
        ),
        expected: CALLED,
      },
    ],
    legacyCall: [
      {
        title: "a whole answer as JSON, with `function_call`",
        source: legacy,
        response: json(
          wholeAnswer(
            { content: null, function_call: { name: "look", arguments: JSON.stringify(LOOK.input) } },
            "function_call",
          ),
        ),
        expected: CALLED,
      },
    ],
  },
};
