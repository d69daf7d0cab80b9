export const HOUSE_PAGE: string;
export function withHouseTable(page: string, files: ReadonlyMap<string, string>): string;
