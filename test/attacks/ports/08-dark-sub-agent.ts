import { agent, agentTool, type Tool, type ToolContext, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import type { Attack } from "../frame/attack.ts";
import { conversation } from "../parts/conversation.ts";
import { mustHold } from "../parts/must-hold.ts";
import { calling } from "../parts/serve.ts";

const draw = tool({
  name: "draw",
  description: "Draws.",
  input: z.object({}),
  status: { start: "Drawing …" },
  execute: (_, { createArtifact, progress }: ToolContext) => {
    progress({ percent: 50 });
    return createArtifact({ type: "bar_chart", title: "GDP", payload: { data: [5.8, 1.9] } });
  },
}) as Tool;

export const attack: Attack = {
  id: "ports-08",
  title: "Status, progress and artifacts of a sub-agent's tools reach nobody",
  state: "held",
  guard: {
    file: "packages/core/test/runtime/tasks/sub-agent-work.test.ts",
    title: "F22 shows the status and progress of its calls as progress of the caller's call",
  },
  attempt: async () => {
    const inner = scriptedModel([calling("draw"), { text: "Here it is." }]);
    const charts = agent({ name: "charts", model: inner, instructions: "Draw.", tools: [draw] });
    const tools = [agentTool({ agent: charts, description: "Draws.", shows: "all" })] as Tool[];
    const model = scriptedModel([calling("charts", { task: "GDP" }), { text: "See the chart." }]);
    const { pawl, begin } = conversation(model, { tools });
    const run = begin("Chart!");
    const seen: string[] = [];
    for await (const event of run)
      if (event.type === "tool_status" || event.type === "tool_progress")
        seen.push(JSON.stringify(event.data));
    const { sessionId } = await run.result;
    const { messages } = await pawl.view(sessionId, { userId: "ada" });
    const got = {
      status: seen.some((one) => one.includes("Drawing")),
      progress: seen.some((one) => one.includes("percent")),
      artifacts: messages.flatMap(({ parts }) => parts).filter(({ type }) => type === "artifact").length,
    };
    return mustHold(got.status && got.progress && got.artifacts === 1, got);
  },
};
