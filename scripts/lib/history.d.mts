export function hasHistory(folder?: string): boolean;

export function commitsSince(commit: string, paths: readonly string[], folder?: string): number | undefined;

export function currentCode(except: readonly string[], folder?: string): string | undefined;
