/** Paths by the file of a test. */
export type Soaks = { readonly [file: string]: readonly string[] };

export const SOAKS: Soaks;

export function soakCommand(file: string): string;

export function soaksNamed(names: readonly string[], soaks?: Soaks): string[];
