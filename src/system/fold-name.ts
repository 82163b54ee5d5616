/** Names that fold to the same are one name on some system: case, accents in one or two characters, wide letters. */
export function foldName(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return name.toLowerCase();
  return name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toUpperCase()
    .toLowerCase();
}

/** `.git` in every spelling that some file system takes for it. */
export function isGitFolder(name: string): boolean {
  return /^(\.git|git~\d+)$/.test(foldName(name));
}
