export function filesOf(): string[];
