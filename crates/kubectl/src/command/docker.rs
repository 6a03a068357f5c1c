//! Answers to commands of Docker: the kubectl command with the same purpose. They are typed by people who come from
//! Docker; nothing is run for them.

use super::shell::Word;

/// Programs whose commands are answered.
pub(super) const PROGRAMS: [&str; 4] = ["docker", "podman", "docker-compose", "nerdctl"];

/// Flags of `docker run` that take a value in the next word.
const RUN_FLAGS_WITH_VALUE: &str = "--name --publish -p --env -e --volume -v --network --restart --memory -m --cpus \
    --user -u --workdir -w --entrypoint --hostname -h --label -l --mount --platform --pull";

/// Returns the answer to a command line.
pub(super) fn answer(program: &str, words: &[Word]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let words = if program == "docker-compose" {
        &[&["compose"], words.as_slice()].concat()
    } else {
        &words
    };
    match equivalent(words) {
        Equivalent::Command(command) => format!("in Kubernetes: {command}"),
        Equivalent::None(why) => format!("{program} has no counterpart here: {why}"),
    }
}

/// The Kubernetes equivalent of a docker command.
enum Equivalent {
    Command(String),
    /// There is no equivalent command; the text names the responsible component.
    None(&'static str),
}

fn equivalent(words: &[&str]) -> Equivalent {
    let (verb, rest) = match words {
        ["container" | "image", verb, rest @ ..] | [verb, rest @ ..] => (*verb, rest),
        [] => return Equivalent::Command("kubectl help".to_owned()),
    };
    let name = rest
        .iter()
        .copied()
        .find(|word| !word.starts_with('-'))
        .unwrap_or("NAME");
    Equivalent::Command(match verb {
        "run" | "create" => run(rest),
        "ps" | "ls" | "list" => "kubectl get pods".to_owned(),
        "logs" if rest.iter().any(|word| matches!(*word, "-f" | "--follow")) => format!("kubectl logs -f {name}"),
        "logs" => format!("kubectl logs {name}"),
        "exec" => format!("kubectl exec {name} -- COMMAND"),
        "stop" | "kill" | "rm" => format!("kubectl delete pod {name}"),
        "restart" => {
            format!("kubectl delete pod {name} (who owns it makes another; or kubectl rollout restart deployment)")
        }
        "inspect" => format!("kubectl describe pod {name}"),
        "stats" | "top" => "kubectl top pods".to_owned(),
        "port" | "network" => "kubectl get services".to_owned(),
        "volume" => "kubectl get persistentvolumeclaims".to_owned(),
        "node" => "kubectl get nodes".to_owned(),
        "events" => "kubectl get events".to_owned(),
        "scale" => "kubectl scale deployment/NAME --replicas=3".to_owned(),
        "compose" => match name {
            "down" | "stop" | "rm" => "kubectl delete -f FILE".to_owned(),
            "ps" => "kubectl get pods".to_owned(),
            "logs" => "kubectl logs deployment/NAME".to_owned(),
            _ => "kubectl apply -f FILE".to_owned(),
        },
        "service" | "stack" => match name {
            "scale" => "kubectl scale deployment/NAME --replicas=3".to_owned(),
            "ls" | "ps" => "kubectl get deployments".to_owned(),
            _ => "kubectl create deployment NAME --image=IMAGE --replicas=3".to_owned(),
        },
        "update" => "kubectl set resources deployment/NAME --limits=memory=256Mi".to_owned(),
        "pull" | "images" | "rmi" => return Equivalent::None("each node pulls the images that its pods need"),
        "build" | "push" | "tag" | "commit" | "login" => {
            return Equivalent::None("images are built outside of the cluster, and pulled from a registry");
        }
        "start" | "pause" | "unpause" => {
            return Equivalent::None("a pod that has ended is not started again; its owner makes another");
        }
        _ => "kubectl help".to_owned(),
    })
}

/// The counterpart of `docker run`.
fn run(words: &[&str]) -> String {
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
    /// Shows: K-01
    #[test]
    fn docker_command_is_answered_with_kubectl_command() {
        for (line, want) in [
            ("docker run hello", "in Kubernetes: kubectl run hello --image=hello"),
            (
                "docker run -d --name web -p 8080:80 -e MODE=fast registry.example.com/shop/web:1 --verbose",
                "in Kubernetes: kubectl run web --image=registry.example.com/shop/web:1 --port=80 --env=MODE=fast",
            ),
            ("docker ps -a", "in Kubernetes: kubectl get pods"),
            ("docker container ls", "in Kubernetes: kubectl get pods"),
            ("docker logs -f web", "in Kubernetes: kubectl logs -f web"),
            ("docker rm -f web", "in Kubernetes: kubectl delete pod web"),
            ("podman inspect web", "in Kubernetes: kubectl describe pod web"),
            ("docker-compose up -d", "in Kubernetes: kubectl apply -f FILE"),
            ("docker compose down", "in Kubernetes: kubectl delete -f FILE"),
            ("docker", "in Kubernetes: kubectl help"),
            (
                "docker images",
                "docker has no counterpart here: each node pulls the images that its pods need",
            ),
        ] {
            let error = super::super::parse(line).expect_err("Docker's commands are not run");
            assert_eq!(error.message, want, "{line}");
        }
    }
}
