import type { Agent, Awaitable, RunContext } from "@pawl/core";

/** An agent that is listed for the caller, e.g. one that a user has made, or a connector as an agent. */
export interface CustomAgent<Deps = unknown> {
  /** Identifies the agent in plans and calls, e.g. `mcp::github`. */
  id: string;
  /** The name for people. */
  name: string;
  /** What the agent does, for the models. */
  description: string;
  /** Subjects or sources, e.g. `["gmail", "finance"]`. Default: none. */
  domains?: readonly string[];
  /** The agent. Its own `name` must not change while its runs are open. */
  agent: Agent<Deps>;
}

/** The session, user and caller that agents are listed for. */
export type AgentsSource<Deps = unknown> = Pick<
  RunContext<Deps>,
  "sessionId" | "userId" | "caller" | "credentials" | "deps" | "signal"
>;

/** Lists the agents that a caller may use. */
export type ListAgents<Deps = unknown> = (
  source: AgentsSource<Deps>,
) => Awaitable<readonly CustomAgent<Deps>[]>;
