import { agent, jsonSchema, memoryStore, runtime, type Schema, tool } from "@pawl/core";
import { toolHandler } from "@pawl/remote/server";
import { agUi, aiSdk, type Dialect, handler } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";
import { standstill } from "../parts/standstill.ts";

/** A list of so many bytes: a fifth of the default limit of a body. */
const listOf = (one: string, bytes = 200_000) =>
  `[${Array(Math.floor(bytes / (one.length + 1)))
    .fill(one)
    .join(",")}]`;

type Serve = (request: Request) => Response | Promise<Response>;

export const attack: Attack = {
  id: "attacks-01",
  title: "One body with many mistakes stops the process, or is answered with megabytes",
  state: "held",
  guard: { file: "packages/sse/test/request/many-values.test.ts", title: "is refused in few words" },
  attempt: () =>
    brokenByAny({
      // So many mistakes overflow the stack of a validator that collects them all.
      "message of {}": () => over({}, `{"input":${listOf("{}", 400_000)}}`),
      answers: () => over({}, `{"sessionId":"s","answers":${listOf("{}")}}`),
      "AI SDK": () =>
        over({ dialect: aiSdk() }, `{"id":"x","messages":[{"role":"user","parts":${listOf("1")}}]}`),
      "AG-UI": () =>
        over(
          { dialect: agUi() },
          `{"threadId":"t","runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[],"resume":${listOf("{}")}}`,
        ),
      "answer for zod": answer,
      "remote tool with zod": () => remote(tags),
      "remote tool with JSON Schema": () =>
        remote(
          jsonSchema({
            type: "object",
            properties: { tags: { type: "array", items: { type: "object", required: ["id"] } } },
          }),
        ),
    }),
};

const tags = z.object({ tags: z.array(z.object({ id: z.string() })) });

function world() {
  const pick = tool({ name: "pick", description: "Asks.", input: z.object({}), suspends: { answer: tags } });
  const model = scriptedModel([{ tools: [{ name: "pick", input: {} }] }, { text: "Ok." }]);
  const asking = agent({ name: "a", instructions: "i", model, tools: [pick] });
  return runtime({ agents: [asking], store: memoryStore() });
}

const serving = (pawl: ReturnType<typeof world>, more: { dialect?: Dialect } = {}) =>
  handler({
    runtime: pawl,
    agent: "a",
    authorize: () => ({ userId: "u" }),
    onError: () => undefined,
    ...more,
  });

const over = (more: { dialect?: Dialect }, body: string) => sent(serving(world(), more), "/runs", body);

async function answer(): Promise<string> {
  const pawl = world();
  const { sessionId, pending } = await pawl.run("a", { userId: "u", input: "Go" }).result;
  const { callId, seq } = pending[0] ?? { callId: "", seq: 0 };
  const given = `{"callId":"${callId}","question":${seq},"value":{"tags":${listOf("1")}}}`;
  return await sent(serving(pawl), "/runs", `{"sessionId":"${sessionId}","answers":[${given}]}`);
}

async function remote(input: Schema<unknown>): Promise<string> {
  const it = tool({ name: "it", description: "Does it.", input, execute: () => 1 });
  const serve = toolHandler({
    tools: [it],
    authorize: () => ({ userId: "u" }),
    onError: () => undefined,
  });
  return await sent(serve, "/tools/execute", `{"tool_name":"it","tool_input":{"tags":${listOf("1")}}}`);
}

async function sent(serve: Serve, path: string, body: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  const request = new Request(`http://app${path}`, { method: "POST", headers, body });
  const { value, longestMs } = await standstill(async () => {
    const response = await serve(request);
    const text = await response.text();
    // AG-UI has a refusal in its stream.
    const isRefused = text.includes('"RUN_ERROR"') || (response.status >= 400 && response.status < 500);
    return { status: response.status, length: text.length, isRefused };
  });
  const seen = `${value.status} with ${value.length} characters, ${longestMs} ms at a stretch`;
  return brokenIf(!value.isRefused || value.length > 10_000 || longestMs > 300, seen);
}
