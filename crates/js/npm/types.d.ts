/** The source of a session: a text (YAML or JSON), files that are read as one in their order,
 *  a share link (a whole URL or its fragment), or a built-in lesson. */
export type Source = string | SourceFile[] | { link: string } | { lesson: string };

/** A file; problems are reported with its name. */
export interface SourceFile {
  name: string;
  text: string;
}

export interface LoadOptions {
  /** Overrides the scenario's seed; a whole number below 2^64. */
  seed?: number | bigint;
}

/** A problem in the input, or advice about it. */
export interface Problem {
  /** Name of the file; empty for a command or a link. */
  file: string;
  /** Number of the document in the file, from 1; 0 if unknown. */
  document: number;
  /** Line, from 1; 0 if unknown. */
  line: number;
  /** Column, from 1. */
  column: number;
  /** The field, such as `spec.containers[0].image`; empty if the problem is not about one field. */
  path: string;
  /** The message; the API server's or kubectl's own if they have one. */
  message: string;
}

/** Thrown by `load` and `command` for bad input: an `Error` named `InputError`. The place is that
 *  of the first problem; `message` has a line for each. */
export interface InputError extends Error, Omit<Problem, "message"> {
  name: "InputError";
  problems: Problem[];
}

/** A built-in lesson. */
export interface Lesson {
  name: string;
  title: string;
  /** The heading under which the course lists it. */
  group: string;
  /** The lesson in one sentence. */
  summary: string;
  /** Duration in minutes; 0 if unknown. */
  minutes: number;
  /** Names of the lessons that should come before it. */
  needs: string[];
  /** The related page of the Kubernetes documentation: title and address. */
  topic: string;
  page: string;
  /** The rule to remember, in one sentence. */
  rule: string;
  /** What to try in a real cluster. */
  own: string;
  /** What else to try in this lesson. */
  variation: string;
  /** Names of lessons whose questions can be repeated after it. */
  recap: string[];
  /** The lesson asks for predictions. */
  asks: boolean;
}

/** A line of a command's output. */
export interface OutputLine {
  /** When it was printed, in simulated seconds. */
  t: number;
  /** Whether kubectl would print it to standard error. */
  error: boolean;
  text: string;
}

/** An object of the Kubernetes API, as `kubectl get -o json` shows it. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    creationTimestamp?: string;
    deletionTimestamp?: string;
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

/** A container that really runs on a machine. */
export interface Process {
  node: string;
  namespace: string;
  pod: string;
  uid: string;
  container: string;
  /** When its process started, in simulated seconds. */
  startedAt: number;
  /** Signals that it has received, in order. */
  signals: string[];
  /** The API server no longer has a pod with this UID. */
  ghost: boolean;
}

/** The kind of a trace record. */
export type What =
  | "Created" | "Updated" | "DeletionRequested" | "Deleted" | "Refused" | "Bound" | "Attempt"
  | "Nominated" | "Preempted" | "Gated" | "ImagePulled" | "ContainerStarted" | "ContainerExited"
  | "HookStarted" | "HookFinished" | "SignalSent" | "ProbeFailed" | "ProbeSucceeded"
  | "VolumeAttached" | "VolumeDetached" | "VolumeMounted" | "VolumeUnmounted" | "VolumeCorrupted"
  | "NodeRegistered" | "ConditionChanged" | "TaintAdded" | "TaintRemoved" | "Fault" | "Healed"
  | "Command" | "Fenced" | "Event" | "InvariantViolated" | "Expectation";

/** A trace record: one event of the simulation. Further fields depend on `what`. */
export interface TraceRecord {
  /** When it happened, in simulated seconds, exact to the microsecond. */
  t: number;
  /** Its sequence number, from 0. */
  seq: number;
  /** The actor: `apiserver`, `scheduler`, `kubelet/NODE`, `machine/NODE`, `user`, `world`, … */
  actor: string;
  what: What;
  /** The API object that it is about; for records of containers, their pod. */
  object?: { kind: string; namespace?: string; name: string; uid?: string };
  container?: string;
  [field: string]: unknown;
}

/** The explanation of one scheduling decision. */
export interface Explanation {
  /** `NAMESPACE/NAME`. */
  pod: string;
  /** The scheduler profile that decided. */
  schedulerName: string;
  priority: number;
  verdict: "scheduled" | "unschedulable" | "preempts" | "error";
  /** The decision in one or two sentences for a beginner. */
  sentence: string;
  /** The chosen or nominated node. */
  chosen?: string;
  /** The nodes with the highest score; several of them are a tie. */
  hosts: string[];
  /** Why the chosen node won. */
  why?: string;
  /** The message of kube-scheduler. */
  message?: string;
  /** The scoring plugins in order, with their weights. */
  plugins: { name: string; about: string; weight: number }[];
  /** Every node, in the order in which nodes are examined. */
  nodes: NodeExplanation[];
  /** Spread constraints with their counts per domain. */
  spread?: SpreadExplanation[];
  /** The preemption, if no node fits. */
  preemption?: PreemptionExplanation;
  /** Why not every node was examined. */
  sampling?: string;
}

export interface NodeExplanation {
  name: string;
  zone?: string;
  verdict: "fits" | "refused" | "notExamined";
  /** The plugin that refused the node. */
  plugin?: string;
  code?: string;
  /** kube-scheduler's reasons. */
  reasons?: string[];
  /** The refusal or the scores in words, with numbers. */
  words: string;
  /** Remarks of plugins on their scores; `plugin` is the index in `Explanation.plugins`. */
  said?: [plugin: number, words: string][];
  /** Weighted scores, one for each of `Explanation.plugins`. */
  scores?: number[];
  /** The scores before normalization to 0…100. */
  raw?: number[];
  total?: number;
  /** The devices of the pod's claims, unless another plugin refused the node. */
  devices?: NodeDevices;
}

/** Which device each request of the pod's claims gets on a node, and why other devices do not do. */
export interface NodeDevices {
  requests: {
    /** `namespace/name`. */
    claim: string;
    /** `request`, or `request/subrequest` in a prioritized list. */
    request: string;
    class?: string;
    outcome: "complete" | "passedOver" | "allocated" | "allocatedElsewhere" | { tooFew: { asks: number | null } };
    /** What the request gets, as a sentence. */
    words: string;
    gets: {
      device: DeviceName;
      /** Capacity that the request consumes of a shareable device. */
      consumes: { name: string; amount: string }[];
      /** Shared counters that the device consumes. */
      counters: { counterSet: string; counter: string; takes: string; left: string }[];
    }[];
    /** Devices that do not do, grouped by reason; `why` has the reason's name and data. */
    unsuitable?: { devices: DeviceName[]; why: unknown; words: string }[];
  }[];
  /** Pools of which the node can take no device. */
  unusablePools?: { driver: string; pool: string; isIncomplete: boolean }[];
  /** Error that ended the scheduling cycle. */
  error?: string;
}

export interface DeviceName {
  driver: string;
  pool: string;
  device: string;
}

export interface SpreadExplanation {
  /** Index of the constraint in the pod's list, or among the default constraints. */
  index: number;
  topologyKey: string;
  /** Whether it is DoNotSchedule; otherwise ScheduleAnyway. */
  hard: boolean;
  maxSkew: number;
  /** The smallest count; 0 if there are fewer domains than minDomains. */
  min: number;
  /** Set if there are fewer domains than minDomains. */
  tooFewDomains?: { found: number; minDomains: number };
  /** 1 if the pod matches the constraint's own selector, else 0. */
  own: number;
  domains: {
    value: string;
    count: number;
    skew: number;
    allowed: boolean;
    /** Whether the domain is scored: for ScheduleAnyway, only if one of its nodes can run the pod. */
    isScored: boolean;
  }[];
}

export interface PreemptionExplanation {
  words: string;
  /** Nodes on which the pod would fit if some pods were evicted. */
  candidates: {
    node: string;
    victims: Victim[];
    reprieved: Victim[];
    pdbViolations: number;
  }[];
  /** The best candidates. */
  chosen: string[];
  /** The criterion that decided between the candidates. */
  criterion?:
    | "onlyCandidate" | "fewestPdbViolations" | "lowestHighestPriority" | "lowestPrioritySum"
    | "fewestVictims" | "latestStart" | "tie";
  /** If preemption does not help: the reason for each node. */
  unhelped?: { node: string; words: string }[];
}

/** A pod of lower priority that would be evicted. */
export interface Victim {
  pod: string;
  priority: number;
  /** The PodDisruptionBudgets that select it, with the number of evictions that they still allow. */
  budgets?: [name: string, allowed: number][];
}

/** A message of an embedded page to the page around it (docs/embedding.md). */
export type PodscopeMessage = { podscope: 1 } & (
  | { type: "ready"; version: string }
  | { type: "size"; width: number; height: number }
  | { type: "step"; lesson: string; step: number; of: number }
  | { type: "answer"; lesson: string; step: number; answer: string; truth: string; right: boolean }
  | { type: "goal"; lesson: string; step: number; goal: number }
  | { type: "finished"; lesson: string; item: number | null; score: number; way: "solved" | "guessed" | "hinted" | "shown" }
  | { type: "error"; message: string });

/** A request of the page around an embedded page. */
export type PodscopeRequest = { podscope: 1 } & (
  | { do: "open"; lesson: string }
  | { do: "open"; link: string }
  | { do: "open"; scenario: string }
  | { do: "open"; practice: string; seed?: number; level?: number }
  | { do: "run"; line: string }
  | { do: "play" | "pause" }
  | { do: "theme"; name: "light" | "dark" | "system" });
