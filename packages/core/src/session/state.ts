import type { Usage } from "../model/model-client.ts";

/** The open run, folded from the log over all its legs. */
export interface RunState {
  runId: string;
  turns: number;
  usage: Usage;
  costCents: number;
}
