//! Credentials from the shared files of AWS's own tools: `~/.aws/credentials` and `~/.aws/config`.

use std::{collections::HashMap, env, fs, path::PathBuf};

/// The settings of the selected profile; `None` if the environment has credentials, or there are no such files.
pub(super) fn settings() -> Option<HashMap<String, String>> {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let selected = env::var("AWS_PROFILE").ok().filter(|name| !name.is_empty());
    if selected.is_none() && is_set("AWS_ACCESS_KEY_ID") {
        return None;
    }
    let name = selected.unwrap_or_else(|| "default".into());
    let home = || env::home_dir().map(|home| home.join(".aws"));
    let file = |variable, name| {
        let path = env::var_os(variable).map(PathBuf::from).or_else(|| Some(home()?.join(name)));
        fs::read_to_string(path?).ok()
    };
    let mut settings = HashMap::new();
    // Those of the latter file count, as in AWS's tools.
    if let Some(text) = file("AWS_CONFIG_FILE", "config") {
        let section = if name == "default" { name.clone() } else { format!("profile {name}") };
        settings.extend(section_of(&text, &section));
    }
    if let Some(text) = file("AWS_SHARED_CREDENTIALS_FILE", "credentials") {
        settings.extend(section_of(&text, &name));
    }
    (!settings.is_empty()).then_some(settings)
}

/// The settings of a section. Nested ones, which are indented, are left out.
fn section_of(text: &str, name: &str) -> HashMap<String, String> {
    let mut settings = HashMap::new();
    let mut inside = false;
    for line in text.lines() {
        let is_nested = line.starts_with([' ', '\t']);
        let line = line.trim();
        if line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            inside = section.split_whitespace().collect::<Vec<_>>().join(" ") == name;
        } else if let (true, false, Some((key, value))) = (inside, is_nested, line.split_once('='))
        {
            settings.insert(key.trim().to_lowercase(), value.trim().to_owned());
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_read_to_its_end() {
        let text = "[default]\nregion = eu-west-1\n# [x]\n[ profile  two ]\n\
                    aws_access_key_id=A=B\ns3 =\n  endpoint_url = no\n; x = 1\n[x]\nregion=no\n";
        let section = section_of(text, "profile two");
        assert_eq!(section["aws_access_key_id"], "A=B");
        assert_eq!(section.len(), 2, "{section:?}");
        assert_eq!(section_of(text, "default")["region"], "eu-west-1");
        assert!(section_of(text, "none").is_empty());
    }
}
