/** Something of interest to those who have work under way here: a server went down. */
interface Notice {
  /** What it is about: a server's name. */
  readonly about: string;
  readonly message: string;
}

export interface Notices {
  tell(notice: Notice): void;
  /** Calls back for each from now on, until what it answers is called. */
  listen(listener: (notice: Notice) => void): () => void;
}

export function createNotices(): Notices {
  const listeners = new Set<(notice: Notice) => void>();
  return {
    tell(notice) {
      for (const listener of listeners) listener(notice);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
