// A Worker whose agent has the tools of a server elsewhere, at `env.TOOLS`.
import { agent, memoryStore, runtime } from "@pawl/core";
import { remoteTools } from "@pawl/remote";
import { scriptedModel } from "@pawl/testing";

let walker;

export default {
  async fetch(_request, env) {
    const script = ({ messages }) =>
      messages.length === 1 ? { tools: [{ name: "look", input: {} }] } : { text: "Seen." };
    walker ??= agent({
      name: "walker",
      model: scriptedModel(script),
      instructions: "Walk.",
      tools: remoteTools({ url: env.TOOLS, token: "tok_0123456789abcdef", cacheMs: 0, timeoutMs: 2_000 }),
    });
    const pawl = runtime({ agents: [walker], store: memoryStore() });
    try {
      const { text, actions } = await pawl.run("walker", { userId: "ada", input: "Walk" }).result;
      return Response.json({ text, results: actions.map(({ result }) => result) });
    } catch (error) {
      return Response.json({ error: String(error) });
    }
  },
};
