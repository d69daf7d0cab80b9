/** A message in AG-UI's format. */
export type AgUiMessage = { readonly id: string; readonly role: string; readonly [field: string]: unknown };
