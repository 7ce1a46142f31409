# fish completion of cambium

function __cambium_complete
    set -l before (commandline -opc)
    set -l typed (commandline -ct)
    set -l word (string unescape -- $typed)
    test (count $word) -eq 1; or set word "$typed"
    set -l lines (command cambium __complete $before[2..-1] "$word" 2>/dev/null)
    string match -qr '^:[0-9]+$' -- $lines[-1]; or return
    set -l directive (string sub -s 2 -- $lines[-1])
    if test (math $directive % 2) -eq 1
        return
    end
    if test (math "floor($directive / 16) % 2") -eq 1
        __fish_complete_directories "$typed" ''
        return
    end
    set -l before_value (string match -r -- '^-[^=]*=' "$word")
    for line in $lines[1..-2]
        printf '%s%s\n' "$before_value" "$line"
    end
    if test (count $lines) -eq 1; and test (math "floor($directive / 4) % 2") -eq 0
        __fish_complete_path "$typed"
    end
end

complete -c cambium -e
complete -c cambium -k -f -a '(__cambium_complete)'
