import { HttpAgent } from "@ag-ui/client-0.0.59";
import type { CopilotKitCore } from "@copilotkit/core";
import type { Agent } from "./agents.ts";
import type { Served } from "./served.ts";

/** An agent of a page, as the README says. */
class PageAgent extends HttpAgent {
  override connectAgent(...asked: Parameters<HttpAgent["connectAgent"]>) {
    this.pendingInterrupts = [];
    this.abortController = new AbortController();
    return super.connectAgent(...asked);
  }
  protected override connect(input: Parameters<HttpAgent["run"]>[0]) {
    return this.run({ ...input, messages: [] });
  }
  override abortRun() {
    super.abortRun();
    const stop = `${this.url.replace(/runs$/, "sessions")}/${encodeURIComponent(this.threadId)}/stop`;
    void fetch(stop, { method: "POST", headers: this.headers });
  }
}

/**
 * Loads CopilotKit, and returns a function for pages with it that have just been loaded. Set its environment
 * before: it reports its use to its maker unless it is told not to.
 */
export async function copilotKit() {
  const { CopilotKitCore: Core } = await import("@copilotkit/core");
  return (served: Pick<Served, "url">, { threadId = "t", tools = [] as object[] } = {}) => {
    const headers = { authorization: "Bearer ada" };
    const agent = new PageAgent({ url: `${served.url}/runs`, threadId, headers });
    const core: CopilotKitCore = new Core({ agents__unsafe_dev_only: { default: agent as never } });
    const errors: string[] = [];
    core.subscribe({ onError: ({ error }) => void errors.push(error.message) });
    for (const tool of tools) core.addTool(tool as never);
    const own = core.getAgent("default");
    if (own === undefined) throw new Error("CopilotKit has no agent.");
    const shown = own as unknown as Agent;
    const say = async (content: string) => {
      shown.addMessage({ id: crypto.randomUUID(), role: "user", content });
      await core.runAgent({ agent: own });
    };
    const connect = async () => void (await core.connectAgent({ agent: own }));
    return { core, own, shown, errors, say, connect };
  };
}
