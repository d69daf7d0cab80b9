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

const model = "Qwen/Qwen3-32B";
const docs = "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html";
const { chunk, odd, usage } = chunksOf(model);

/** vLLM, and SGLang where it differs. */
export const vllmDialect: Dialect = {
  name: "vllm",
  title: "vLLM",
  api: "chat",
  model,
  cases: {
    ...usual(model, docs),
    calls: [
      ...usual(model, docs).calls,
      {
        title: "a call that ends with `stop`, as named calls do",
        source: "https://github.com/vllm-project/vllm/pull/25054",
        response: sse([
          chunk(
            callPiece(0, {
              id: "chatcmpl-tool-1f2e3d4c",
              name: "look",
              arguments: JSON.stringify(LOOK.input),
            }),
          ),
          odd({}, "stop", { stop_reason: null }),
          usage(),
        ]),
        expected: CALLED,
      },
    ],
    reasoning: [
      {
        title: "the field `reasoning_content`, and in newer versions `reasoning`",
        source: "https://docs.vllm.ai/en/latest/features/reasoning_outputs.html",
        response: sse([
          odd({ reasoning_content: "Hm. " }),
          odd({ reasoning: "Hm." }),
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
        title: "status 400, `BadRequestError`, by its message",
        source: "https://github.com/foundation-model-stack/fms-guardrails-orchestrator/issues/511",
        response: json(
          {
            error: {
              message:
                "This model's maximum context length is 1024 tokens. However, you requested 1029 tokens.",
              type: "BadRequestError",
              param: null,
              code: 400,
            },
          },
          400,
        ),
        expected: TOO_LONG,
      },
      {
        title: "status 400, before 0.10.1 without the field `error`",
        source: "https://github.com/vllm-project/vllm/issues/12886",
        response: json(
          {
            object: "error",
            message:
              "This model's maximum context length is 1024 tokens. However, you requested 1029 tokens.",
            type: "BadRequestError",
            param: null,
            code: 400,
          },
          400,
        ),
        expected: TOO_LONG,
      },
      {
        title: "status 200, in the stream (SGLang)",
        source: "https://github.com/sgl-project/sglang/issues/12081",
        response: sse([
          {
            error: {
              object: "error",
              message: "The input (70000 tokens) is longer than the model's context length (32768 tokens).",
              type: "BadRequestError",
              param: null,
              code: 400,
            },
          },
        ]),
        expected: TOO_LONG,
      },
      {
        title: "status 400, the prompt does not fit into the cache (SGLang)",
        source: "https://github.com/NVIDIA-NeMo/Switchyard/pull/426",
        response: json(
          {
            object: "error",
            message: "Input length (700001 tokens) exceeds the maximum allowed length (536826 tokens).",
            type: "BadRequestError",
            param: null,
            code: 400,
          },
          400,
        ),
        expected: TOO_LONG,
      },
    ],
    contentType: ABSENT.streams,
    brokenCall: [
      {
        title: "status 400, the calls of a forced answer are not valid JSON",
        source: "https://github.com/kubernetes-sigs/inference-perf/issues/695",
        response: json(
          {
            error: {
              message:
                "1 validation error for list[function-wrap[__log_extra_fields__()]]\n  Invalid JSON: EOF while parsing an object at line 1508 column 3 [type=json_invalid, input_value='[  {', input_type=str]",
              type: "BadRequestError",
              param: null,
              code: 400,
            },
          },
          400,
        ),
        expected: TRY_AGAIN,
      },
    ],
    errorIn200: [
      {
        title: "an error of the engine in the stream",
        source: "https://github.com/vllm-project/vllm/pull/46162",
        response: sse([
          chunk({ content: "Grü" }),
          {
            error: { message: "Internal Server Error", type: "InternalServerError", param: null, code: 500 },
          },
        ]),
        expected: { text: "Grü", ...TRY_AGAIN },
      },
      {
        title: "the finish reason `abort`",
        source: "https://github.com/vllm-project/vllm/issues/57082",
        response: sse([chunk({ content: "Grü" }), odd({}, "abort"), usage()]),
        expected: { text: "Grü", ...TRY_AGAIN },
      },
    ],
    noEnd: ABSENT.end,
    contentList: ABSENT.text,
    inputObject: ABSENT.json,
    legacyCall: ABSENT.tools,
  },
};
