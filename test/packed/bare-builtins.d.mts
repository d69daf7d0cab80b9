export function findBareBuiltins(code: string): string[];
