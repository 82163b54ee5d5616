/** English words that say nothing about what a tool does. */
export const stopWords: ReadonlySet<string> = new Set(
  [
    "a an the this that these those some any all each every i me my we us our you your he she it its they them their",
    "is are was were be been am do does did done can could will would shall should may might must have has had having",
    "and or but if then than so as at by for from in into of off on onto out over to up with within without about via per",
    "what which who whom whose when where why how there here not no please want need like let lets help using use used",
    "just also too very really now currently one ones thing things something anything everything",
  ]
    .join(" ")
    .split(" "),
);
