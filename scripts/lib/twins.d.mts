import type { Finding } from "./arrows.d.mts";

export function findTwins(files: ReadonlyMap<string, string>): Finding[];
