import {
  CALLED,
  CALLED_BOTH,
  chunksOf,
  FIND,
  json,
  LOOK,
  SAID,
  sse,
  TOO_LONG,
  TRY_AGAIN,
  usual,
} from "../base/chat.ts";
import { ABSENT, type Dialect, GREETING } from "../base/dialect.ts";

const model = "qwen3";
const docs = "https://docs.ollama.com/api/openai-compatibility";
const report = "https://github.com/BerriAI/litellm/pull/37792";
const { chunk, odd, usage } = chunksOf(model, { system_fingerprint: "fp_ollama" });

const call = ({ name, input }: { name: string; input: object }, id: string, asText = true) =>
  odd({
    role: "assistant",
    content: "",
    tool_calls: [
      {
        id,
        index: 0,
        type: "function",
        function: { name, arguments: asText ? JSON.stringify(input) : input },
      },
    ],
  });

/** Ollama: whole calls, behind LiteLLM all with the index 0, and reasons are `stop`. */
export const ollamaDialect: Dialect = {
  name: "ollama",
  title: "Ollama",
  api: "chat",
  model,
  cases: {
    ...usual(model, docs, { system_fingerprint: "fp_ollama" }),
    calls: [
      {
        title: "whole in one chunk, ends with `stop`",
        source: "https://github.com/ollama/ollama/pull/7963",
        response: sse([call(LOOK, "call_k3j4h5g6"), chunk({ content: "" }, "stop"), usage()]),
        expected: CALLED,
      },
    ],
    parallel: [
      {
        title: "two calls with the index 0, behind LiteLLM",
        source: report,
        response: sse([
          call(LOOK, "call_k3j4h5g6"),
          call(FIND, "call_z9y8x7w6"),
          chunk({}, "tool_calls"),
          usage(),
        ]),
        expected: CALLED_BOTH,
      },
    ],
    reasoning: [
      {
        title: "the field `reasoning`",
        source: "https://docs.ollama.com/capabilities/thinking",
        response: sse([
          odd({ content: "", reasoning: "Hm." }),
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
        title: "status 400, an error as a string; some set-ups cut the prompt without an error",
        source: "https://github.com/earendil-works/pi/blob/main/packages/ai/src/utils/overflow.ts",
        response: json({ error: "prompt too long; exceeded max context length by 4096 tokens" }, 400),
        expected: TOO_LONG,
      },
    ],
    contentType: ABSENT.streams,
    brokenCall: [
      {
        title: "status 500, an error as a string",
        source: "https://github.com/ollama/ollama/issues/17638",
        response: json({ error: 'error parsing tool call: raw=\'{"city":"Malmö"}]\', err=' }, 500),
        expected: TRY_AGAIN,
      },
    ],
    errorIn200: [
      {
        title: "an error as a string",
        source: "inferred from https://docs.ollama.com/api/errors",
        response: sse([
          chunk({ content: "Grü" }),
          { error: "an error was encountered while running the model" },
        ]),
        expected: { text: "Grü", ...TRY_AGAIN },
      },
    ],
    noEnd: ABSENT.end,
    contentList: ABSENT.text,
    inputObject: [
      {
        title: "the input as an object, behind LiteLLM",
        source: report,
        response: sse([call(LOOK, "call_k3j4h5g6", false), chunk({}, "stop"), usage()]),
        expected: CALLED,
      },
    ],
    legacyCall: ABSENT.tools,
  },
};
