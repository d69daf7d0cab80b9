export function headingsOf(text: string): Map<string, string[]>;
