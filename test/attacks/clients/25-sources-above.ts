import { type Tool, type ToolContext, tool } from "@pawl/core";
import { agUi } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { connect, httpAgent, say } from "../../../packages/sse/test/support/agents.ts";
import type { Attack } from "../frame/attack.ts";
import { withAgUi } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { anyObject, calling, serve } from "../parts/serve.ts";

const find = tool({
  name: "find",
  description: "Finds.",
  input: anyObject,
  execute: (_, { report, createArtifact }: ToolContext) => {
    report({ sources: [{ id: "doc-1", title: "The guide", url: "https://docs.example/1" }] });
    createArtifact({ type: "plan", title: "A plan", payload: {} });
    return "found";
  },
}) as Tool;

export const attack: Attack = {
  id: "clients-25",
  title: "AG-UI: sources and artifacts jump above the conversation when a page connects again",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/what-comes-out.test.ts",
    title: "are activities, which stay in their places, and are the same after a reload and each connect",
  },
  attempt: () =>
    withAgUi(async (version) => {
      const model = scriptedModel([calling("find"), { text: "Here it is." }]);
      const served = await serve(model, { dialect: agUi(), of: { tools: [find] } });
      const agent = httpAgent(version, served);
      await say(agent, "Go");
      const page = httpAgent(version, served, { threadId: agent.threadId });
      await connect(page);
      const roles = () => page.messages.map(({ role }) => role).join();
      const first = roles();
      await connect(page);
      return mustHold(roles() === first && first.startsWith("user"), `${first}; connected again: ${roles()}`);
    }),
};
