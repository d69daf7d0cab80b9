import type { Budget, Json } from "@pawl/core";
import type { ReadRun } from "../record/read-record.ts";
import type { AgentsSource, CustomAgent, ListAgents } from "./custom-agent.ts";

/** What the tools need of the options. */
export interface CustomAgentWork<Deps> {
  agents: ListAgents<Deps> | undefined;
  agentLimits: Partial<Budget> | undefined;
  /** Lists the agents. Never rejects: a failure is reported. */
  list(
    source: AgentsSource<Deps>,
  ): Promise<
    | { agents: readonly CustomAgent<Deps>[] }
    | { error: { code: string; message: string } & { [field: string]: Json } }
  >;
}

/** What the tool `write_plan` needs of the options. */
export interface PlanWork<Deps> extends CustomAgentWork<Deps> {
  /** Reads the record of a run. */
  readRun: ReadRun;
  maxTasks: number;
  withhold: readonly string[];
}
