/** A file of a user's message or a tool result, as the log has it. */
export interface FileReference {
  /** The SHA-256 of the file's bytes in hexadecimal. The bytes are in the runtime's `files`. */
  id: string;
  /** Found by the file's bytes: a type of pictures, `application/pdf` or `text/plain`. */
  media_type: string;
  /** The size in bytes. */
  bytes: number;
  /** The name that the client gave. */
  name?: string;
  /** The width of a picture in pixels. */
  width?: number;
  /** The height of a picture in pixels. */
  height?: number;
  /** The pages of a PDF, estimated. */
  pages?: number;
}
