import type { PlaceInLine, Turns } from "../../system/turns.ts";

/** A run's place among those that are under way. */
export interface RunPlace {
  /** Does the work while another run may have the place, and answers at once; the place is taken again in its turn. */
  aside<T>(work: () => Promise<T>): Promise<T>;
  /** The same for the wait for a person's answer. Throws when too many runs wait so already. */
  forPerson<T>(work: () => Promise<T>): Promise<T>;
  /** Pending while the run waits for its place again: its guest is told nothing meanwhile. Undefined when it need not. */
  readonly back: Promise<void> | undefined;
}

/** Places that runs have left for a while, waiting for people. */
export interface Absences {
  /** Throws when there are too many. Returns what ends it. */
  begin(client: string): () => void;
}

/** Runs that have left their place keep their processes: so many may of one client, and of all together. */
const mostOfOne = 8;
const most = 32;

export function createAbsences(): Absences {
  const clients: string[] = [];
  return {
    begin(client) {
      if (clients.length >= most || clients.filter((id) => id === client).length >= mostOfOne)
        throw new Error(`${clients.length} runs are waiting for answers already`);
      clients.push(client);
      return () => void clients.splice(clients.indexOf(client), 1);
    },
  };
}

/** `first` is the place as the run got it. When the run has ended, `leave` gives up whatever it has then. */
export function createRunPlace(
  first: PlaceInLine,
  client: string,
  { turns, absences }: { readonly turns: Turns; readonly absences: Absences },
): RunPlace & { leave(): void } {
  let place = first;
  let away = 0;
  let isOver = false;
  let back: Promise<void> | undefined;
  let isBack = (): void => {};

  const comeBack = (): void => {
    const again = turns.enterAgain(client);
    place = again;
    const arrive = (): void => {
      if (place !== again || away > 0) return; // it has left again
      back = undefined;
      isBack();
    };
    if (again.turn === undefined) arrive();
    else void again.turn.then(arrive);
  };
  const aside = async <T>(work: () => Promise<T>): Promise<T> => {
    away++;
    back ??= new Promise((resolve) => {
      isBack = resolve;
    });
    place.leave();
    try {
      return await work();
    } finally {
      if (--away === 0 && !isOver) comeBack();
    }
  };
  return {
    aside,
    async forPerson(work) {
      const end = absences.begin(client);
      try {
        return await aside(work);
      } finally {
        end();
      }
    },
    get back() {
      return away > 0 ? undefined : back;
    },
    leave() {
      isOver = true;
      place.leave();
      isBack();
    },
  };
}
