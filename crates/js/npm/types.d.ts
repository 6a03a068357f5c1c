/** Where a session comes from: a text (YAML or JSON), files that are read as one in their order,
 *  a share link (a whole URL or its fragment), or a built-in lesson. */
export type Source = string | SourceFile[] | { link: string } | { lesson: string };

/** A file; the name is what problems are reported with. */
export interface SourceFile {
  name: string;
  text: string;
}

export interface LoadOptions {
  /** Overrides the scenario's seed; a whole number below 2^64. */
  seed?: number | bigint;
}

/** One thing that is wrong with the input, or advice about it. */
export interface Problem {
  /** Name of the file; empty for a command or a link. */
  file: string;
  /** Number of the document in the file, from 1; 0 if unknown. */
  document: number;
  /** Line, from 1; 0 if unknown. */
  line: number;
  /** Column, from 1. */
  column: number;
  /** The field, such as `spec.containers[0].image`; empty where it is not one field. */
  path: string;
  /** What is wrong, in the API server's or kubectl's words where they have some. */
  message: string;
}

/** What `load` and `command` throw for bad input: an `Error` named `InputError`. The place is that
 *  of the first problem; `message` has a line for each. */
export interface InputError extends Error, Omit<Problem, "message"> {
  name: "InputError";
  problems: Problem[];
}

/** A built-in lesson. */
export interface Lesson {
  name: string;
  title: string;
  /** The heading it stands under. */
  group: string;
  /** One sentence. */
  summary: string;
  /** How long it takes; 0: nobody said. */
  minutes: number;
  /** Names of lessons that come before it. */
  needs: string[];
  /** The page of the Kubernetes documentation it belongs to: its name, and its address. */
  topic: string;
  page: string;
  /** What is to be remembered, in one sentence. */
  rule: string;
  /** What to try in a cluster of one's own. */
  own: string;
  /** Another thing to try here. */
  variation: string;
  /** Names of lessons whose questions fit to be asked again after it. */
  recap: string[];
  /** Whether it asks for predictions. */
  asks: boolean;
}

/** A line that a command printed. */
export interface OutputLine {
  /** When, in seconds. */
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
  /** When its process started, in seconds. */
  startedAt: number;
  /** Signals that it has received, in order. */
  signals: string[];
  /** The API server no longer has a pod of this UID. */
  ghost: boolean;
}

/** What a trace record says. */
export type What =
  | "Created" | "Updated" | "DeletionRequested" | "Deleted" | "Refused" | "Bound" | "Attempt"
  | "Nominated" | "Preempted" | "Gated" | "ImagePulled" | "ContainerStarted" | "ContainerExited"
  | "HookStarted" | "HookFinished" | "SignalSent" | "ProbeFailed" | "ProbeSucceeded"
  | "VolumeAttached" | "VolumeDetached" | "VolumeMounted" | "VolumeUnmounted" | "VolumeCorrupted"
  | "NodeRegistered" | "ConditionChanged" | "TaintAdded" | "TaintRemoved" | "Fault" | "Healed"
  | "Command" | "Fenced" | "Event" | "InvariantViolated" | "Expectation";

/** Something that happened. Further fields depend on `what`. */
export interface TraceRecord {
  /** When, in seconds, exact to the microsecond. */
  t: number;
  /** Its place in the trace, from 0. */
  seq: number;
  /** Who acted: `apiserver`, `scheduler`, `kubelet/NODE`, `machine/NODE`, `user`, `world`, … */
  actor: string;
  what: What;
  /** The API object it is about; the pod for records of containers. */
  object?: { kind: string; namespace?: string; name: string; uid?: string };
  container?: string;
  [field: string]: unknown;
}

/** The story of one scheduling decision. */
export interface Explanation {
  /** `NAMESPACE/NAME`. */
  pod: string;
  /** The profile that decided. */
  schedulerName: string;
  priority: number;
  verdict: "scheduled" | "unschedulable" | "preempts" | "error";
  /** One or two sentences for a beginner. */
  sentence: string;
  /** The node that was taken or nominated. */
  chosen?: string;
  /** The nodes that may be taken: more than one is a tie. */
  hosts: string[];
  /** Why the winner won. */
  why?: string;
  /** kube-scheduler's own text. */
  message?: string;
  /** The plugins that scored, in order, with their weights. */
  plugins: { name: string; about: string; weight: number }[];
  /** Every node, in the order in which they are examined. */
  nodes: NodeExplanation[];
  /** Spread constraints with their counts per domain. */
  spread?: SpreadExplanation[];
  /** When no node fits. */
  preemption?: PreemptionExplanation;
  /** Where the search stopped early. */
  sampling?: string;
}

export interface NodeExplanation {
  name: string;
  zone?: string;
  verdict: "fits" | "refused" | "notExamined";
  /** The plugin that refused. */
  plugin?: string;
  code?: string;
  /** kube-scheduler's reasons. */
  reasons?: string[];
  /** The same in words, with numbers. */
  words: string;
  /** What plugins add to their scores, by their place in `Explanation.plugins`. */
  said?: [plugin: number, words: string][];
  /** Weighted scores, one for each of `Explanation.plugins`. */
  scores?: number[];
  /** The scores before they were brought to 0…100. */
  raw?: number[];
  total?: number;
}

export interface SpreadExplanation {
  /** Its place in the pod's list, or among the defaults. */
  index: number;
  topologyKey: string;
  /** DoNotSchedule; else ScheduleAnyway. */
  hard: boolean;
  maxSkew: number;
  /** The smallest count; 0 where there are too few domains. */
  min: number;
  /** There are fewer domains than minDomains. */
  tooFewDomains?: { found: number; minDomains: number };
  /** 1 if the pod counts itself. */
  own: number;
  domains: {
    value: string;
    count: number;
    skew: number;
    allowed: boolean;
    /** A soft constraint scores only domains with a node that can take the pod. */
    isScored: boolean;
  }[];
}

export interface PreemptionExplanation {
  words: string;
  /** Nodes on which the pod would fit without some others. */
  candidates: {
    node: string;
    victims: Victim[];
    reprieved: Victim[];
    pdbViolations: number;
  }[];
  /** The nodes that can be chosen. */
  chosen: string[];
  /** What decided between candidates. */
  criterion?:
    | "onlyCandidate" | "fewestPdbViolations" | "lowestHighestPriority" | "lowestPrioritySum"
    | "fewestVictims" | "latestStart" | "tie";
  /** Where nothing helps: why not, node by node. */
  unhelped?: { node: string; words: string }[];
}

/** A pod of lower priority. */
export interface Victim {
  pod: string;
  priority: number;
  /** PodDisruptionBudgets that select it, with what they still allow. */
  budgets?: [name: string, allowed: number][];
}
