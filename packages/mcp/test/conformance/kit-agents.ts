import { type Agent, agent, type JsonObject, type ModelRequest, tool } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import * as z from "zod";

// The agents behind the names of the kit's tools. A tool of the kit that only returns text, fails, takes long
// or asks the user is an agent that does the same. What an agent has no means for is not imitated.

/** Replies to a request: `answered` is how many of the agent's questions have their answers. */
type Script = (answered: number, args: JsonObject) => Reply;

/** Longer than a handler of these tools waits before a call becomes a task. */
const LONG_MS = 300;

/** Asks the user for what the kit's forms ask for. */
const ask = tool({
  name: "ask",
  description: "Asks the user.",
  input: z.object({ what: z.string() }),
  suspends: {
    answer: z.object({
      name: z.string().optional(),
      color: z.string().optional(),
      ok: z.boolean().optional(),
      confirm: z.boolean().optional(),
    }),
  },
});

const asks = (...questions: string[]): Reply => ({
  tools: questions.map((what) => ({ name: "ask", input: { what } })),
});

const asksOnce: Script = (answered) => (answered === 0 ? asks("What is your name?") : { text: "Hello!" });

const SCRIPTS: Readonly<Record<string, Script>> = {
  test_simple_text: () => ({ text: "This is a simple text response for testing." }),
  test_error_handling: () => ({ fault: { status: 400, message: "This fails." } }),
  test_elicitation: asksOnce,
  test_streaming_elicitation: asksOnce,
  test_input_required_result_elicitation: asksOnce,
  test_input_required_result_request_state: asksOnce,
  test_input_required_result_tampered_state: asksOnce,
  test_input_required_result_capabilities: asksOnce,
  test_input_required_result_multi_round: (answered) =>
    answered < 2 ? asks(`Step ${answered + 1}?`) : { text: "Done." },
  greet: (_, { name }) => ({ text: `Hello, ${name}!` }),
  slow_compute: (_, { seconds }) => ({ text: "Computed.", latencyMs: Number(seconds) * 1_000 }),
  failing_job: () => ({ fault: { status: 400, message: "This job fails." }, latencyMs: LONG_MS }),
  confirm_delete: (answered) =>
    answered === 0 ? { ...asks("Delete it?"), latencyMs: LONG_MS } : { text: "Deleted." },
  multi_input: (answered) =>
    answered === 0 ? { ...asks("One?", "Two?"), latencyMs: LONG_MS } : { text: "Both." },
};

/** Tools of the kit that become tasks at once. */
export const TASK_TOOLS: readonly string[] = ["slow_compute", "failing_job", "confirm_delete", "multi_input"];

/** Returns an agent for each tool of the kit that an agent can stand for, by the tool's name. */
export function kitAgents(): ReadonlyMap<string, Agent> {
  return new Map(
    Object.entries(SCRIPTS).map(([name, script]) => {
      const model = scriptedModel((request) => script(answersIn(request), argumentsIn(request)));
      return [name, agent({ name, instructions: "You test.", model, tools: [ask] })];
    }),
  );
}

const blocksOf = ({ messages }: ModelRequest, role: string) =>
  messages.flatMap((message) =>
    message.role === role && Array.isArray(message.content) ? message.content : [],
  );

function answersIn(request: ModelRequest): number {
  return blocksOf(request, "user").filter(({ type }) => type === "tool_result").length;
}

/** The arguments of the kit's call: the message is their JSON. */
function argumentsIn(request: ModelRequest): JsonObject {
  const texts = blocksOf(request, "user").flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  return JSON.parse(texts.find((text) => text.startsWith("{")) ?? "{}");
}
