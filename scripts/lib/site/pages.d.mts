export function pagesOf(files: readonly string[], read: (path: string) => string): string[];
