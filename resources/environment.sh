# cuDNN Assistant's own settings file: written by the program, read by the start-up files of your
# shells. Take the settings back with "cudnn-assistant undo".
_cudnn_assistant_first() {
  # $1: a list of folders. The others: folders to put before all others, behind a minus those to
  # take out. Nothing appears twice.
  _cudnn_assistant_list=":$1:"
  _cudnn_assistant_ours=
  shift
  for _cudnn_assistant_entry in "$@"; do
    _cudnn_assistant_folder=${_cudnn_assistant_entry#-}
    while :; do
      case $_cudnn_assistant_list in
        *":$_cudnn_assistant_folder:"*)
          _cudnn_assistant_list=${_cudnn_assistant_list%%":$_cudnn_assistant_folder:"*}:${_cudnn_assistant_list#*":$_cudnn_assistant_folder:"} ;;
        *) break ;;
      esac
    done
    case $_cudnn_assistant_entry in
      -*) ;;
      *) _cudnn_assistant_ours=$_cudnn_assistant_ours:$_cudnn_assistant_folder ;;
    esac
  done
  _cudnn_assistant_list=${_cudnn_assistant_list#:}
  _cudnn_assistant_list=${_cudnn_assistant_list%:}
  _cudnn_assistant_ours=${_cudnn_assistant_ours#:}
  _cudnn_assistant_list=$_cudnn_assistant_ours${_cudnn_assistant_list:+:$_cudnn_assistant_list}
  _cudnn_assistant_list=${_cudnn_assistant_list#:}
}
{settings}
unset -f _cudnn_assistant_first
unset _cudnn_assistant_list _cudnn_assistant_ours _cudnn_assistant_folder _cudnn_assistant_entry
