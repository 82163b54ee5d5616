/** By a file's ending; what is not listed is bytes. */
const mediaTypes = new Map([
  ["css", "text/css"],
  ["csv", "text/csv"],
  ["gif", "image/gif"],
  ["htm", "text/html"],
  ["html", "text/html"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["js", "text/javascript"],
  ["json", "application/json"],
  ["jsonl", "application/jsonl"],
  ["log", "text/plain"],
  ["md", "text/markdown"],
  ["mp3", "audio/mpeg"],
  ["parquet", "application/vnd.apache.parquet"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["py", "text/x-python"],
  ["svg", "image/svg+xml"],
  ["ts", "text/typescript"],
  ["tsv", "text/tab-separated-values"],
  ["txt", "text/plain"],
  ["wav", "audio/wav"],
  ["webp", "image/webp"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["xml", "application/xml"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["zip", "application/zip"],
]);

export function mediaTypeOf(name: string): string {
  return mediaTypes.get(name.slice(name.lastIndexOf(".") + 1).toLowerCase()) ?? "application/octet-stream";
}

/** Whether models take it as an image; an answer with another may be refused as a whole. */
export function isShownImage(mediaType: string): boolean {
  return /^image\/(png|jpeg|gif|webp)$/.test(mediaType);
}

const endings = new Map([...mediaTypes].map(([ending, mediaType]) => [mediaType, ending]));

/** The usual ending of files of a type; `bin` for one that is not listed. */
export function endingOf(mediaType: string): string {
  return endings.get(mediaType.split(";")[0]?.trim().toLowerCase() ?? "") ?? "bin";
}

/** Whether a file of that type is read as text. */
export function isText(mediaType: string): boolean {
  return /^text\/|^application\/(json|jsonl|xml|yaml)$|\+xml$/.test(mediaType);
}
