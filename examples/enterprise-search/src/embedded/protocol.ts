import type { BuildProgress } from "../data/index.ts";

/** What the worker is started with. */
export interface WorkerSettings {
  /** The directory with the folders of all companies; in memory without one. */
  dataDir: string | undefined;
  seed: string;
  documents: number;
}

/** What the main thread sends. */
export type Order =
  | { type: "query"; id: number; text: string; values: unknown[] }
  | { type: "copy-agents"; id: number }
  | { type: "close" };

/** What the worker answers. */
export type Report =
  | { type: "progress"; progress: BuildProgress }
  | { type: "rows"; id: number; rows: unknown[] }
  | { type: "failed"; id: number; message: string; code: string | undefined }
  | { type: "broken"; message: string };
