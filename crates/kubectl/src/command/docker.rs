//! Answers to Docker commands, which new users type out of habit: the kubectl command with the same purpose. Nothing is
//! run.

use super::shell::Word;

/// Programs whose command lines are answered with the corresponding kubectl command.
pub(super) const PROGRAMS: [&str; 4] = ["docker", "podman", "docker-compose", "nerdctl"];

/// Flags of `docker run` that take a value in the next word.
const RUN_FLAGS_WITH_VALUE: &str = "--name --publish -p --env -e --volume -v --network --restart --memory -m --cpus \
    --user -u --workdir -w --entrypoint --hostname -h --label -l --mount --platform --pull";

/// Flags of the other Docker commands that take a value in the next word. `-f` and `-t` are not listed: they take a
/// value for some commands only.
const FLAGS_WITH_VALUE: &str = "--file -p --project-name --profile --env-file -n --tail --since --until --time \
    -s --signal -u --user -w --workdir -e --env --format --filter --availability --replicas --image";

/// The answers, one per line: Docker commands separated by `|`, a mark, and the text. Commands of two words come first.
/// The mark `=` precedes a kubectl command, `+` a kubectl command about a pod, whose name the user has to look up, and
/// `-` the reason why there is no counterpart. `NAME` stands for the first operand.
const DOCKER_ANSWERS: &str = "\
compose down|compose rm = kubectl delete -f FILE
compose ps|compose ls = kubectl get pods
compose logs = kubectl logs deployment/NAME
compose exec|compose run = kubectl exec deployment/NAME -- COMMAND
compose restart = kubectl rollout restart deployment/NAME
compose stop = kubectl scale deployment/NAME --replicas=0
compose start = kubectl scale deployment/NAME --replicas=1
compose scale = kubectl scale deployment/NAME --replicas=3
compose pull|image ls|image rm|image prune|image inspect|images|pull|rmi - each node pulls the images that its pods need, and removes unused ones when its disk fills
compose build|compose push|image|build|buildx|builder|push|tag|commit|login|logout|save|load|import|history|search|manifest - images are built outside of the cluster, and pulled from a registry
compose = kubectl apply -f FILE
volume create = kubectl apply -f FILE, with a PersistentVolumeClaim in it
volume rm = kubectl delete persistentvolumeclaim NAME
volume inspect = kubectl describe persistentvolumeclaim NAME
volume prune - a claim stays until it is deleted by its name
volume = kubectl get persistentvolumeclaims
network create|network rm|network connect|network disconnect|network prune - all pods are in one network and reach each other; a Service gives them a name
network|port = kubectl get services
system prune|container prune - a deleted pod takes its containers along, and each node removes unused images when its disk fills
system df = kubectl describe nodes
system events|events = kubectl get events
system|info = kubectl cluster-info
version = kubectl version
service create = kubectl create deployment NAME --image=IMAGE --replicas=3
service scale|scale = kubectl scale deployment/NAME --replicas=3
service update = kubectl set image deployment/NAME CONTAINER=IMAGE
service rollback = kubectl rollout undo deployment/NAME
service rm = kubectl delete deployment NAME
service inspect = kubectl describe deployment NAME
service logs = kubectl logs deployment/NAME
stack deploy = kubectl apply -f FILE
stack rm = kubectl delete -f FILE
service|stack = kubectl get deployments
node inspect = kubectl describe node NAME
node rm = kubectl delete node NAME
node update = kubectl drain NAME
node = kubectl get nodes
secret create = kubectl create secret generic NAME --from-literal=KEY=VALUE
secret = kubectl get secrets
config create = kubectl create configmap NAME --from-literal=KEY=VALUE
config = kubectl get configmaps
context = kubectl config get-contexts
swarm - the cluster is there already; `kubectl get nodes` lists its machines
ps|ls|list = kubectl get pods
stop|kill|rm + kubectl delete pod NAME
restart + kubectl delete pod NAME (who owns it makes another; or kubectl rollout restart deployment)
logs + kubectl logs NAME
exec|top + kubectl exec NAME -- COMMAND
attach + kubectl attach NAME
inspect|diff + kubectl describe pod NAME
cp + kubectl cp NAME FILE
wait + kubectl wait --for=delete pod/NAME
stats = kubectl top pods
update = kubectl set resources deployment/NAME --limits=memory=256Mi
start|pause|unpause - a pod that has ended is not started again, and none is paused; its owner makes another
rename - a pod keeps its name; one of another name is another pod
help = kubectl help";

/// Explains how to find a pod's name, which usually differs from the container's name.
const NAME_LOOKUP_TEXT: &str = "`kubectl get pods` tells the names. If a Deployment made the pod, its name is longer, and a deleted one comes back \
    until the Deployment is deleted";

/// Returns the answer to a Docker command line.
pub(super) fn docker_answer(program: &str, words: &[Word]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let words = if program == "docker-compose" {
        &[&["compose"], words.as_slice()].concat()
    } else {
        &words
    };
    let (operands, is_followed) = operands(words);
    let typed = match operands.as_slice() {
        [] if words.is_empty() || words.as_slice() == ["--help"] => return "in Kubernetes: kubectl help".to_owned(),
        ["container", rest @ ..] if !matches!(rest, [] | ["prune", ..]) => rest,
        all => all,
    };
    if let ["run" | "create", ..] = typed {
        let at = words.iter().position(|word| *word == typed[0]).unwrap_or_default();
        return format!("in Kubernetes: {}", kubectl_run_counterpart(&words[at + 1..]));
    }
    let two = typed.get(..2).unwrap_or_default().join(" ");
    let one = typed.first().copied().unwrap_or_default();
    let found = [(two.as_str(), 2), (one, 1)].into_iter().find_map(|(words, count)| {
        let (kind, text) = DOCKER_ANSWERS.lines().find_map(|line| {
            let (known, answer) = line.split_at(line.find(['=', '+', '-'])?);
            let is_meant = known.trim_end().split('|').any(|known| known == words);
            is_meant.then(|| answer.split_at(2))
        })?;
        Some((kind, text, count))
    });
    let Some((kind, text, count)) = found else {
        let typed = typed.join(" ");
        return format!("{program} {typed} has no counterpart that Podscope knows: `kubectl help` lists the commands");
    };
    // The name in `service scale web=5` ends at the equals sign.
    let name = typed.get(count).and_then(|name| name.split('=').next());
    let mut text = text.replace("NAME", name.unwrap_or("NAME"));
    if is_followed && text.starts_with("kubectl logs") {
        text.insert_str("kubectl logs".len(), " -f");
    }
    match kind.trim_end() {
        "=" => format!("in Kubernetes: {text}"),
        "+" => format!("in Kubernetes: {text}\n{NAME_LOOKUP_TEXT}"),
        _ => format!(
            "docker {} has no counterpart here: {text}",
            if count == 2 { two.as_str() } else { one }
        ),
    }
}

/// Returns the words that are neither flags nor their values, and whether the command follows output (`-f`,
/// `--follow`).
fn operands<'a>(words: &[&'a str]) -> (Vec<&'a str>, bool) {
    let mut found: Vec<&str> = Vec::new();
    let mut is_followed = false;
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        let takes_value = match word {
            // `-f` takes a value in `compose -f FILE up` and `build -f FILE .`, but not in `rm -f NAME` and `logs -f
            // NAME`.
            "-f" => matches!(found.as_slice(), ["compose" | "build"]),
            // `-t` takes a value in `stop -t SECONDS NAME` and `build -t TAG .`, but not in `exec -t NAME`.
            "-t" => matches!(found.last(), Some(&("stop" | "restart" | "build"))),
            _ => FLAGS_WITH_VALUE.split(' ').any(|flag| flag == word),
        };
        is_followed |= !takes_value && matches!(word, "-f" | "--follow");
        if takes_value {
            words.next();
        } else if !word.starts_with('-') {
            found.push(word);
        }
    }
    (found, is_followed)
}

/// Returns the kubectl counterpart of `docker run`.
fn kubectl_run_counterpart(words: &[&str]) -> String {
    let (mut name, mut image, mut rest) = (None, None, String::new());
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            image = Some(word);
            break;
        }
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None if RUN_FLAGS_WITH_VALUE.split(' ').any(|known| known == word) => (word, words.next()),
            None => (word, None),
        };
        match (flag, value) {
            ("--name", Some(value)) => name = Some(value.to_owned()),
            ("--env" | "-e", Some(value)) => rest.push_str(&format!(" --env={value}")),
            ("--publish" | "-p", Some(value)) => {
                let port = value.rsplit(':').next().unwrap_or(value);
                rest.push_str(&format!(" --port={port}"));
            }
            _ => {}
        }
    }
    let image = image.unwrap_or("IMAGE");
    let name = name.unwrap_or_else(|| {
        let last = image.rsplit('/').next().unwrap_or(image);
        last.split([':', '@']).next().unwrap_or(last).to_ascii_lowercase()
    });
    format!("kubectl run {name} --image={image}{rest}")
}

#[cfg(test)]
mod tests {
    const NAME_LOOKUP_HINT: &str = "\n`kubectl get pods` tells the names. If a Deployment made the pod, its name is longer, and a deleted \
        one comes back until the Deployment is deleted";

    /// Returns the answer to a Docker command line, which is the error message of the parser.
    fn docker_answer(line: &str) -> String {
        super::super::parse(line)
            .expect_err("Docker's commands are not run")
            .message
    }

    /// Shows: K-01
    #[test]
    fn docker_command_is_answered_with_kubectl_command() {
        for (line, want) in [
            ("docker run hello", "kubectl run hello --image=hello"),
            (
                "docker run -d --name web -p 8080:80 -e MODE=fast registry.example.com/shop/web:1 --verbose",
                "kubectl run web --image=registry.example.com/shop/web:1 --port=80 --env=MODE=fast",
            ),
            ("docker container run -d hello", "kubectl run hello --image=hello"),
            ("docker ps -a", "kubectl get pods"),
            ("docker container ls", "kubectl get pods"),
            ("docker-compose up -d", "kubectl apply -f FILE"),
            ("docker compose -f shop.yml up -d", "kubectl apply -f FILE"),
            ("docker compose down", "kubectl delete -f FILE"),
            ("docker compose logs -f web", "kubectl logs -f deployment/web"),
            ("docker network ls", "kubectl get services"),
            ("docker volume ls", "kubectl get persistentvolumeclaims"),
            ("docker volume rm data", "kubectl delete persistentvolumeclaim data"),
            ("docker stats", "kubectl top pods"),
            ("docker system df", "kubectl describe nodes"),
            ("docker node update --availability drain b-1", "kubectl drain b-1"),
            (
                "docker service scale web=5",
                "kubectl scale deployment/web --replicas=3",
            ),
            ("docker", "kubectl help"),
        ] {
            assert_eq!(docker_answer(line), format!("in Kubernetes: {want}"), "{line}");
        }
    }

    /// A container's name is usually not its pod's name, so the answer refers to `kubectl get pods` for the names.
    /// Shows: K-01
    #[test]
    fn docker_command_about_container_explains_name_lookup() {
        for (line, want) in [
            ("docker rm -f web", "kubectl delete pod web"),
            ("docker container stop -t 5 web", "kubectl delete pod web"),
            ("docker logs -f web", "kubectl logs -f web"),
            ("docker logs --tail 5 web", "kubectl logs web"),
            ("podman inspect web", "kubectl describe pod web"),
            ("docker exec -i -t web sh", "kubectl exec web -- COMMAND"),
            ("docker cp web:/etc/hosts .", "kubectl cp web:/etc/hosts FILE"),
        ] {
            assert_eq!(
                docker_answer(line),
                format!("in Kubernetes: {want}{NAME_LOOKUP_HINT}"),
                "{line}"
            );
        }
    }

    /// Shows: K-01
    #[test]
    fn docker_command_without_counterpart_gets_a_reason() {
        for (line, want) in [
            (
                "docker images",
                "docker images has no counterpart here: each node pulls",
            ),
            (
                "docker image ls",
                "docker image ls has no counterpart here: each node pulls",
            ),
            (
                "docker build -t web .",
                "docker build has no counterpart here: images are built",
            ),
            (
                "docker compose build",
                "docker compose build has no counterpart here: images are",
            ),
            (
                "docker system prune -af",
                "docker system prune has no counterpart here: a deleted pod",
            ),
            (
                "docker network create shop",
                "docker network create has no counterpart here: all pods",
            ),
            (
                "docker start web",
                "docker start has no counterpart here: a pod that has ended",
            ),
            (
                "docker scout cves",
                "docker scout cves has no counterpart that Podscope knows",
            ),
        ] {
            let said = docker_answer(line);
            assert!(said.starts_with(want), "{line}: {said}");
        }
    }
}
