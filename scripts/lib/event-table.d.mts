export const EVENT_PAGE: string;
export function withEventTable(page: string, sources: { stored: string; live: string }): string;
