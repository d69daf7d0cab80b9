import type { Finding } from "./arrows.d.mts";

export const SUPPORT: string;
export const PORTS: readonly { file: string; name: string; types?: RegExp }[];

export function isTest(path: string): boolean;
export function capabilitiesOf(files: ReadonlyMap<string, string>): ReadonlySet<string>;
export function findLonelySwaps(
  files: ReadonlyMap<string, string>,
  capabilities: ReadonlySet<string>,
): Finding[];
