import { trainerFace as faceWith } from "@pawl/example-trainer/web";
import type { Face } from "../face/face.ts";
import { Markdown } from "../markdown/markdown.tsx";

export const trainerFace: Face = faceWith({ Markdown });
