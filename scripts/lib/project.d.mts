export const root: string;
export function at(...parts: string[]): string;
export function tool(packageName: string, command?: string): string;
