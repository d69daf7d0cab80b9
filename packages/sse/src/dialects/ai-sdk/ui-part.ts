/** A part of a message of the AI SDK. */
export type UiPart = { readonly type: string; readonly [field: string]: unknown };
